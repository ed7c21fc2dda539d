import Sterna
import SternaCore
import SternaPlatform

/// The destinations of a store's unfinished downloads, so that no two have the same one.
///
/// Two downloads to the same file would overwrite each other's partial file. A claim is a symbolic link `.to-<digits>` in the
/// store's folder, named by a hash of the file's path, whose target is the transfer's identifier. Claiming a free file is one file
/// system operation, however many transfers exist. The claim of a transfer that is over or removed is taken over. All functions
/// block on the disk.
struct DestinationClaims: Sendable {
    private let folder: StoreFolder

    init(_ folder: StoreFolder) { self.folder = folder }

    private static let prefix = ".to-"

    /// Claims a file for a download that is being added. Throws `invalidRequest` if another unfinished download has it, and
    /// `writeFailed`.
    func claim(_ path: String, for id: TransferID) throws(SternaError) {
        let link = link(of: path)
        for _ in 0..<Self.mostAttempts {
            if symlink(id.text, link) == 0 { return }
            switch errno {
            case EEXIST: break
            // On file systems without symbolic links there are no claims.
            case EPERM, ENOSYS, ENOTSUP: return
            default: throw folder.failure(FileFault(code: errno, path: link))
            }
            // Under a lock, so that no other process takes over the same claim.
            let holder = inTurn { () -> TransferID? in
                guard let known = Self.owner(of: link) else { return nil }
                if isUnfinished(known, path) { return known }
                unlink(link)
                return nil
            }
            guard let holder else { continue }
            if holder == id { return }
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The transfer cannot be stored: the transfer \(holder), which is not over, has the file “\(FieldSyntax.printable(path, limit: 1_024))” already. Wait for its end, cancel it, or choose another file.",
                underlying: DestinationClaimed(id: holder))
        }
        throw folder.failure(FileFault("another process adds transfers to the same file; try again later"))
    }

    private static let mostAttempts = 10

    /// Returns the unfinished download with a destination; nil if there is none.
    func holder(of path: String) -> TransferID? {
        guard let known = Self.owner(of: link(of: path)), isUnfinished(known, path) else { return nil }
        return known
    }

    /// Removes a transfer's claim to a file, if it has one.
    func release(_ path: String, of id: TransferID) {
        let link = link(of: path)
        guard Self.owner(of: link) == id else { return }
        inTurn {
            if Self.owner(of: link) == id { unlink(link) }
        }
    }

    /// Removes the claims of transfers that no longer exist.
    ///
    /// - Parameter names: the names in the store's folder.
    func tidy(_ names: [String]) {
        for name in names where name.hasPrefix(Self.prefix) {
            let link = "\(folder.path)/\(name)"
            guard let id = Self.owner(of: link), !isThere(id) else { continue }
            inTurn {
                if Self.owner(of: link) == id, !isThere(id) { unlink(link) }
            }
        }
    }

    // MARK: Transfers

    private func isThere(_ id: TransferID) -> Bool {
        // In this order, since a new transfer moves from the first path to the second.
        FileStatus(linkAt: folder.newFiles(of: id).path) != nil || FileStatus(linkAt: folder.files(of: id).path) != nil
    }

    /// Whether a transfer with this destination is not over. An unreadable transfer counts, since another program may resume it.
    private func isUnfinished(_ id: TransferID, _ path: String) -> Bool {
        let (new, files) = (folder.newFiles(of: id), folder.files(of: id))
        if FileStatus(linkAt: new.path) != nil {
            guard let lock = try? FileLock.attempt(path: new.owner) else { return true }
            // Its lock is free: a killed process has left the folder.
            lock.release()
            return false
        }
        guard FileStatus(linkAt: files.path) != nil else { return false }
        if let details = try? folder.description(of: id), Self.normal(details.path) != Self.normal(path) {
            return false
        }
        return (try? TransferJournal.history(files.journal))?.state.isOver != true
    }

    // MARK: Links

    private func link(of path: String) -> String {
        let hash = Array(Self.normal(path).utf8).withUnsafeBytes { XXHash64.hash($0, seed: 0) }
        return "\(folder.path)/\(Self.prefix)\(String(hash, radix: 16))"
    }

    /// Returns a path without empty components and `.` components.
    static func normal(_ path: String) -> String {
        // Most paths are normal, and the check is much faster than splitting.
        isNormal(path) ? path : "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    private static func isNormal(_ path: String) -> Bool {
        guard path.utf8.first == slash else { return false }
        var (length, isDot) = (0, false)
        for byte in path.utf8.dropFirst() {
            if byte == slash {
                if length == 0 || isDot { return false }
                (length, isDot) = (0, false)
            } else {
                length += 1
                isDot = length == 1 && byte == UInt8(ascii: ".")
            }
        }
        return length > 0 && !isDot
    }

    private static let slash = UInt8(ascii: "/")

    private static func owner(of link: String) -> TransferID? {
        var space = [CChar](repeating: 0, count: 64)
        let count = readlink(link, &space, space.count)
        guard count == 32 else { return nil }
        return TransferID(String(decoding: space.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Runs a closure under a lock that excludes other threads and processes.
    private func inTurn<R>(_ body: () -> R) -> R {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return body() }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return body()
    }
}

/// The file is the destination of an unfinished download of the store.
package struct DestinationClaimed: Error, Sendable, Hashable {
    package let id: TransferID
}
