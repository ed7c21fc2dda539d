import Sterna
import SternaCore
import SternaPlatform

/// The files that unfinished downloads of a store have, so that no two have the same one.
///
/// Two of them would write the same partial file in turns. A claim is a symbolic link `.to-<digits>` in the store's folder, named by a hash
/// of the file's path, whose text is the transfer's identifier. Claiming a free file is one step of the file system, however many transfers
/// there are. The claim of a transfer that is over or gone is taken over. All functions wait for the disk.
struct DestinationClaims: Sendable {
    private let folder: StoreFolder

    init(_ folder: StoreFolder) { self.folder = folder }

    private static let prefix = ".to-"

    /// Claims a file for a download that is being added. Throws `invalidRequest` if an unfinished one has it, and `writeFailed`.
    func claim(_ path: String, for id: TransferID) throws(SternaError) {
        let link = link(of: path)
        for _ in 0..<Self.mostAttempts {
            if symlink(id.text, link) == 0 { return }
            switch errno {
            case EEXIST: break
            // File systems without symbolic links have no claims.
            case EPERM, ENOSYS, ENOTSUP: return
            default: throw folder.failure(FileFault(code: errno, path: link))
            }
            // Others must not take the same one over.
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

    /// Returns the unfinished download that has a file; nil if none has.
    func holder(of path: String) -> TransferID? {
        guard let known = Self.owner(of: link(of: path)), isUnfinished(known, path) else { return nil }
        return known
    }

    /// Gives up the claim of a transfer to a file, if it has it.
    func release(_ path: String, of id: TransferID) {
        let link = link(of: path)
        guard Self.owner(of: link) == id else { return }
        inTurn {
            if Self.owner(of: link) == id { unlink(link) }
        }
    }

    /// Removes the claims of transfers that are gone.
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
        // In this order, in which they follow each other.
        FileStatus(linkAt: folder.newPlace(of: id).path) != nil || FileStatus(linkAt: folder.place(of: id).path) != nil
    }

    /// Whether a transfer is not over and has a file. One that cannot be read may still be carried on by another program.
    private func isUnfinished(_ id: TransferID, _ path: String) -> Bool {
        let (new, place) = (folder.newPlace(of: id), folder.place(of: id))
        if FileStatus(linkAt: new.path) != nil {
            guard let lock = try? FileLock.attempt(path: new.owner) else { return true }
            // A killed process has left it behind.
            lock.release()
            return false
        }
        guard FileStatus(linkAt: place.path) != nil else { return false }
        if let details = try? folder.description(of: id), Self.normal(details.path) != Self.normal(path) {
            return false
        }
        return (try? TransferJournal.history(place.journal))?.state.isOver != true
    }

    // MARK: Links

    private func link(of path: String) -> String {
        let hash = Array(Self.normal(path).utf8).withUnsafeBytes { XXHash64.hash($0, seed: 0) }
        return "\(folder.path)/\(Self.prefix)\(String(hash, radix: 16))"
    }

    /// Returns a path without empty parts and those that mean the same folder.
    static func normal(_ path: String) -> String {
        // Most are normal, and a look takes far less time than a split.
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

    /// Runs a closure while no other process, and no other thread, does.
    private func inTurn<R>(_ body: () -> R) -> R {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return body() }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return body()
    }
}

/// An unfinished download of the store has the file.
package struct DestinationClaimed: Error, Sendable, Hashable {
    package let id: TransferID
}
