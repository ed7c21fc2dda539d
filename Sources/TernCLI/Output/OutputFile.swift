import NIOCore
import Sterna
import SternaPlatform

/// A file that is written under a temporary name in the same folder, and renamed when complete.
final class OutputFile {
    private let path: String
    private let temporary: String?
    private let descriptor: Descriptor
    private var cleanup: Int?

    /// The number of bytes that were written.
    private(set) var count: Int64 = 0

    /// Opens a file; throws `OutputError`. An existing file that is not regular, such as a device, is written to
    /// directly.
    ///
    /// - Parameter followsLinks: whether a symbolic link is followed, since the user typed its name; otherwise it is replaced,
    ///   unless it leads to something other than a file.
    init(_ path: String, followsLinks: Bool = true) throws(OutputError) {
        // Renaming over a link would replace the link itself.
        let real = followsLinks ? Self.resolved(path) : path
        if !followsLinks, FileStatus(linkAt: path)?.isSymbolicLink == true {
            if let target = FileStatus(path: path), !target.isRegular {
                throw OutputError(name: path, code: target.isDirectory ? EISDIR : ELOOP)
            }
            self.path = path
            let beside = Self.temporaryName(for: path)
            temporary = beside
            descriptor = try Self.open(beside, O_WRONLY | O_CREAT | O_EXCL, name: path)
            cleanup = Cleanup.add { unlink(beside) }
            return
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: real)
        let type = attributes?[.type] as? FileAttributeType
        if type == .typeDirectory { throw OutputError(name: path, code: EISDIR) }
        if type != nil, access(real, W_OK) != 0 { throw OutputError(name: path, code: errno) }
        self.path = real
        if let type, type != .typeRegular {
            temporary = nil
            descriptor = try Self.open(real, O_WRONLY, name: path)
            return
        }
        let beside = Self.temporaryName(for: real)
        temporary = beside
        descriptor = try Self.open(beside, O_WRONLY | O_CREAT | O_EXCL, name: path)
        if let mode = attributes?[.posixPermissions] as? Int { fchmod(descriptor.number, mode_t(mode & 0o777)) }
        cleanup = Cleanup.add { unlink(beside) }
    }

    /// Opens a new file; throws `OutputError` if the name exists, even as a link.
    init(newFile path: String) throws(OutputError) {
        // Reserves the name at once, so that it is still free after a long transfer.
        let place = try Self.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, name: path)
        close(place.number)
        self.path = path
        let beside = Self.temporaryName(for: path)
        temporary = beside
        do {
            descriptor = try Self.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, name: path)
        } catch {
            unlink(path)
            throw error
        }
        cleanup = Cleanup.add {
            unlink(beside)
            unlink(path)
        }
    }

    /// Whether a complete file takes the place of the present one, which is unchanged until then.
    var isReplaced: Bool { temporary != nil }

    /// The file's name as it was opened.
    var name: String { path }

    deinit {
        close(descriptor.number)
        if let cleanup { Cleanup.run(cleanup) }
    }

    /// Writes bytes; throws `OutputError`.
    func write(_ bytes: Bytes) throws(OutputError) {
        try descriptor.write(bytes)
        count += Int64(bytes.readableBytes)
    }

    /// The end of the name of a partial file, as downloads have it.
    static let partSuffix = ".sterna-part"

    /// The name under which an incomplete file can be kept; nil for a device, and for a long name.
    var partialName: String? {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
        return temporary == nil || name.count > 200 ? nil : path + Self.partSuffix
    }

    /// Keeps the incomplete file in the same folder, under ``partialName``; returns false if that name is taken.
    func keepPart() -> Bool {
        guard let temporary, let partialName, fsync(descriptor.number) == 0 else { return false }
        // Unlike renaming, a link never replaces a file; the temporary name is removed at the end.
        return link(temporary, partialName) == 0
    }

    /// Renames the file to its final name; throws `OutputError`.
    ///
    /// - Parameter modified: the time that the file gets, in seconds since 1970; nil for the present.
    func complete(modified: Int64? = nil) throws(OutputError) {
        if let modified, let seconds = time_t(exactly: modified) {
            let time = timespec(tv_sec: seconds, tv_nsec: 0)
            // A file system without times leaves the file as it is.
            _ = futimens(descriptor.number, [time, time])
        }
        guard let temporary else { return }
        guard rename(temporary, path) == 0 else { throw OutputError(name: path, code: errno) }
        if let cleanup { Cleanup.forget(cleanup) }
        cleanup = nil
    }

    private static func open(_ path: String, _ flags: CInt, name: String) throws(OutputError) -> Descriptor {
        let number = SternaPlatform.open(path, flags | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw OutputError(name: name, code: errno) }
        return Descriptor(number: number, name: name)
    }

    /// Returns the path of the file that a path leads to, without links at its end.
    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return TypedLink.target(of: path) }
        // `realpath` allocates the text, which is copied before it is freed.
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns a temporary name in the same folder, so that renaming is one step.
    static func temporaryName(for path: String, random: UInt32 = .random(in: 0...UInt32.max)) -> String {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { path[...$0] } ?? ""
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        // Names may have 255 bytes.
        let start = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        return "\(folder).\(start).\(String(random, radix: 36)).tern"
    }
}
