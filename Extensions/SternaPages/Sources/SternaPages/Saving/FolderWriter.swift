import NIOCore
import SternaCore
import SternaPlatform
import Synchronization

/// Writes a page's files by the descriptors of their folders, so that no name and no link leads elsewhere.
final class FolderWriter: Sendable {
    private struct State {
        var resources: CInt = -1
        /// Whether the folder of resources is ours to remove.
        var madeFolder = false
        /// The files that did not exist before.
        var made: [String] = []
    }

    private let folder: String
    private let names: PageFileNames
    private let existing: WebPage.Existing
    private let descriptor: CInt
    private let state = Mutex(State())

    /// Opens the folder, which is created if it does not exist; throws `destinationUnusable`.
    init(folder: String, names: PageFileNames, existing: WebPage.Existing) throws(SternaError) {
        self.folder = folder.isEmpty ? "." : folder
        self.names = names
        self.existing = existing
        do {
            try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        } catch {
            throw SternaError(
                .destinationUnusable, phase: .prepare,
                "The folder “\(Self.shown(folder))” cannot be created; choose another one.", underlying: error)
        }
        descriptor = open(self.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.error(errno, folder) }
        guard existing == .fail else { return }
        for name in [names.page, names.folder] {
            var status = stat()
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
                SternaPlatform.close(descriptor)
                throw Self.error(EEXIST, "\(self.folder)/\(name)")
            }
        }
    }

    func close() {
        state.withLock { state in
            if state.resources >= 0 { SternaPlatform.close(state.resources) }
            state.resources = -1
        }
        SternaPlatform.close(descriptor)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Creates and opens the folder of resources.
    func makeResourceFolder() throws(SternaError) {
        let made = mkdirat(descriptor, names.folder, 0o777) == 0
        if !made, errno != EEXIST || existing == .fail { throw Self.error(errno, path(names.folder)) }
        let opened = openat(descriptor, names.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        let code = errno
        state.withLock { state in
            state.madeFolder = made
            state.resources = opened
        }
        guard opened >= 0 else { throw Self.error(code, path(names.folder)) }
    }

    /// Writes a resource's file.
    func write(_ content: Bytes, resource name: String) throws(SternaError) {
        let folder = state.withLock { $0.resources }
        let isNew = try write(content, name, in: folder, shown: "\(names.folder)/\(name)")
        if isNew { state.withLock { $0.made.append(name) } }
    }

    /// Writes the page's file, which is complete as soon as it has its name.
    func write(page content: Bytes) throws(SternaError) {
        _ = try write(content, names.page, in: descriptor, shown: names.page)
    }

    /// Writes a file beside its place, and moves it there; returns whether nothing was there before.
    private func write(_ content: Bytes, _ name: String, in folder: CInt, shown: String) throws(SternaError) -> Bool {
        let temporary = ".\(name).sterna-new"
        let path = path(shown)
        // What a process that was killed has left; a link is removed, not followed.
        unlinkat(folder, temporary, 0)
        let file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Self.error(errno, path) }
        var code = Self.writeAll(content, to: file)
        if SternaPlatform.close(file) != 0, code == 0 { code = errno }
        guard code == 0 else {
            unlinkat(folder, temporary, 0)
            throw Self.error(code, path)
        }
        // A link fails where the name is taken, which a renaming does not.
        let isNew = linkat(folder, temporary, folder, name, 0) == 0
        if isNew {
            unlinkat(folder, temporary, 0)
            return true
        }
        code = errno
        var status = stat()
        let exists = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        // Some file systems have no links.
        if (exists && existing == .replace && status.st_mode & S_IFMT != S_IFDIR) || (!exists && code != EEXIST) {
            if renameat(folder, temporary, folder, name) == 0 { return !exists }
            code = errno
        }
        unlinkat(folder, temporary, 0)
        throw Self.error(code, path)
    }

    /// Removes the files that were made.
    func removeAll() {
        state.withLock { state in
            guard state.resources >= 0 else { return }
            for name in state.made { unlinkat(state.resources, name, 0) }
            state.made = []
            if state.madeFolder { unlinkat(descriptor, names.folder, AT_REMOVEDIR) }
        }
    }

    private static let posixWrite = SternaPlatform.write

    private static func writeAll(_ content: Bytes, to file: CInt) -> CInt {
        // The pointer stays within the closure, which writes at most the bytes available.
        content.withUnsafeReadableBytes { raw in
            var rest = raw[...]
            while !rest.isEmpty {
                let count = posixWrite(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }

    private static func error(_ code: CInt, _ path: String) -> SternaError {
        let advice =
            switch code {
            case EEXIST: "it exists; choose another folder, or allow it to be replaced"
            case ELOOP, ENOTDIR: "it is a symbolic link or no folder; remove it, or choose another folder"
            case ENOSPC, EDQUOT: "\(String(cString: strerror(code))); free some space"
            default: "\(String(cString: strerror(code))); choose another folder"
            }
        return SternaError(
            .destinationUnusable, phase: .prepare, "“\(shown(path))” cannot be written: \(advice).")
    }

    private static func shown(_ path: String) -> String {
        String(
            String.UnicodeScalarView(path.unicodeScalars.prefix(1_024).filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
