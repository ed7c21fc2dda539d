import Sterna
import SternaCore
import SternaPlatform

/// The folder of a ``TransferStore``, and the operations on its files. All functions block on the disk.
///
///     FOLDER/<32 digits>/description.json    a TransferDescription
///     FOLDER/<32 digits>/journal             JournalLines
///     FOLDER/<32 digits>/content             upload content that the store keeps
///     FOLDER/<32 digits>/owner.lock          locked by the process that runs the transfer
///     FOLDER/.new-<32 digits>/               a transfer that is being added
///     FOLDER/.old-<32 digits>/               a transfer that is being removed
///     FOLDER/.to-<digits>                    the unfinished download of a destination (DestinationClaims)
///
/// Folders have mode 0700, files 0600.
struct StoreFolder: Sendable {
    let path: String

    private static let new = ".new-"
    private static let old = ".old-"

    /// The files of a transfer.
    struct Files: Sendable {
        let path: String

        var journal: String { path + "/journal" }
        var content: String { path + "/content" }
        var owner: String { path + "/owner" }
        var description: PrivateFile {
            PrivateFile(path: path + "/description.json", title: "The description of a transfer,")
        }
    }

    func files(of id: TransferID) -> Files { Files(path: "\(path)/\(id)") }

    /// The files of a transfer while it is being added.
    func newFiles(of id: TransferID) -> Files { Files(path: "\(path)/\(Self.new)\(id)") }

    /// The destinations of unfinished downloads.
    var claims: DestinationClaims { DestinationClaims(self) }

    /// Creates the folder and missing folders above it, only for their owner. Throws `writeFailed` if the folder cannot be used.
    func make() throws(SternaError) {
        if FileStatus(path: path) == nil { try makeAll() }
        guard let status = FileStatus(path: path), status.isDirectory else {
            throw failure(FileFault("it is not a folder; choose another one"))
        }
        guard status.owner == geteuid() else {
            throw failure(FileFault("it belongs to another user; choose another one"))
        }
        // Other users could add transfers, which would read and replace files with this user's permissions.
        guard status.permissions & 0o022 == 0 else {
            throw failure(FileFault("other users may write to it; run chmod go-w, or choose another one"))
        }
    }

    /// Creates the folder and those above it; existing ones are not changed.
    private func makeAll() throws(SternaError) {
        for end in path.utf8.indices.dropFirst() where path.utf8[end] == UInt8(ascii: "/") {
            mkdir(String(path[..<end]), 0o700)
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure(FileFault(code: errno, path: path)) }
    }

    /// The identifiers of all transfers, in no particular order.
    func ids() -> [TransferID] { names().compactMap { TransferID($0) } }

    private func names() -> [String] { FolderNames.all(in: path) }

    /// Begins to add a transfer. Returns its files until it is added, and the lock that makes this process its owner.
    /// Throws `writeFailed`.
    func begin(_ id: TransferID) throws(SternaError) -> (new: Files, lock: FileLock) {
        try make()
        let new = newFiles(of: id)
        // Until the folder is locked, another process may take it for abandoned and delete it; then the loop creates it again.
        for _ in 0..<Self.mostAttempts {
            guard mkdir(new.path, 0o700) == 0 || errno == EEXIST else {
                throw failure(FileFault(code: errno, path: new.path))
            }
            guard let lock = try? FileLock.attempt(path: new.owner, timeout: .seconds(1)) else { continue }
            if FileStatus(linkAt: new.owner + FileLock.suffix) != nil { return (new, lock) }
        }
        Self.removeFiles(new.path)
        throw failure(FileFault("another process uses it"))
    }

    private static let mostAttempts = 10

    /// Adds a transfer that was begun; its description is then on the disk. Throws `invalidRequest`, also if an unfinished download
    /// has its destination, and `writeFailed`.
    func add(_ description: TransferDescription, _ new: Files) throws(SternaError) {
        let files = files(of: description.id)
        let json = Self.json(description)
        guard json.count <= TransferDescription.Limits.bytes else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The transfer cannot be stored: its description is longer than \(TransferDescription.Limits.bytes) bytes."
            )
        }
        if let file = description.claimedPath { try claims.claim(file, for: description.id) }
        // Syncing the description's name also syncs the journal's.
        let journal = open(new.journal, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard journal >= 0 else { throw failure(FileFault(code: errno, path: new.journal)) }
        close(journal)
        try new.description.write(json)
        guard rename(new.path, files.path) == 0 else { throw failure(FileFault(code: errno, path: files.path)) }
        sync()
    }

    /// Abandons a transfer whose addition was begun.
    ///
    /// - Parameter file: the destination that it may have claimed.
    func abandon(_ id: TransferID, claiming file: String?) {
        Self.removeFiles(newFiles(of: id).path)
        if let file { claims.release(file, of: id) }
    }

    /// The total size of stored upload content, in bytes.
    var storedBytes: Int64 {
        names().reduce(0) { sum, name in
            sum &+ (FileStatus(linkAt: Files(path: "\(path)/\(name)").content)?.size ?? 0)
        }
    }

    /// Makes this process the owner of a transfer. Returns nil if another process owns it, or if it no longer exists.
    func own(_ id: TransferID) throws(SternaError) -> FileLock? {
        let files = files(of: id)
        guard FileStatus(linkAt: files.path)?.isDirectory == true else { return nil }
        do throws(SternaError) {
            return try FileLock.attempt(path: files.owner)
        } catch {
            // It may just have been acknowledged.
            guard FileStatus(linkAt: files.path) != nil else { return nil }
            throw error
        }
    }

    private static let limits = JSON.ParseLimits(
        depth: 16, bytes: TransferDescription.Limits.bytes, values: TransferDescription.Limits.values)

    /// Reads a description; nil if the transfer no longer exists. Throws `fileUnreadable`.
    func description(of id: TransferID) throws(SternaError) -> TransferDescription? {
        let file = files(of: id).description
        guard let bytes = try file.read(upTo: TransferDescription.Limits.bytes) else { return nil }
        do {
            let description = try JSON(parsing: Data(bytes), limits: Self.limits).decode(TransferDescription.self)
            guard description.id == id else { throw file.unreadable(FileFault("it is that of another transfer")) }
            return description
        } catch {
            if let known = error as? SternaError, known.kind == .fileUnreadable { throw known }
            let cause = (error as? SternaError)?.underlying ?? error
            throw file.unreadable(FileFault(Self.reason(cause)))
        }
    }

    /// Returns why a transfer cannot be read; nil if it can, or if it no longer exists.
    func unreadable(_ id: TransferID) -> UnreadableTransfer? {
        let files = files(of: id)
        do throws(SternaError) {
            guard try description(of: id) == nil, FileStatus(linkAt: files.path)?.isDirectory == true else {
                return unreadableJournal(id, files)
            }
            let missing = files.description.unreadable(FileFault("it is missing"))
            return UnreadableTransfer(id: id, cause: .damaged, reason: missing.detail)
        } catch {
            return UnreadableTransfer(id: id, cause: cause(error, files), reason: error.detail)
        }
    }

    private func unreadableJournal(_ id: TransferID, _ files: Files) -> UnreadableTransfer? {
        do throws(SternaError) {
            _ = try TransferJournal.history(files.journal)
            return nil
        } catch {
            // Reading stops at damage without an error. So the journal has events of a newer program, unless the system refuses the
            // file.
            let isInaccessible = (error.underlying as? FileFault)?.code != nil
            let cause =
                isInaccessible ? UnreadableTransfer.Cause.inaccessible : .newer(version: TransferDescription.version)
            return UnreadableTransfer(id: id, cause: cause, reason: error.detail)
        }
    }

    private func cause(_ error: SternaError, _ files: Files) -> UnreadableTransfer.Cause {
        if let code = (error.underlying as? FileFault)?.code, code != ELOOP { return .inaccessible }
        guard let bytes = try? files.description.read(upTo: TransferDescription.Limits.bytes),
            let version = (try? JSON(parsing: Data(bytes), limits: Self.limits))?["version"].int,
            version > TransferDescription.version
        else { return .damaged }
        return .newer(version: version)
    }

    /// Removes a transfer. Throws `writeFailed` if that fails.
    func remove(_ id: TransferID) throws(SternaError) {
        let (files, old) = (files(of: id), "\(path)/\(Self.old)\(id)")
        let file = (try? description(of: id))?.claimedPath
        guard rename(files.path, old) == 0 else {
            let code = errno
            if code == ENOENT { return }
            throw failure(FileFault(code: code, path: files.path))
        }
        sync()
        if let file { claims.release(file, of: id) }
        Self.removeFiles(old)
    }

    /// Removes files that killed processes left while they added or removed transfers.
    func tidy() {
        let names = names()
        for name in names {
            let path = "\(path)/\(name)"
            if name.hasPrefix(Self.old), TransferID(String(name.dropFirst(Self.old.count))) != nil {
                Self.removeFiles(path)
            } else if name.hasPrefix(Self.new), TransferID(String(name.dropFirst(Self.new.count))) != nil {
                let files = Files(path: path)
                // A folder with neither a lock nor a description is just being created.
                guard
                    FileStatus(linkAt: files.owner + FileLock.suffix) != nil
                        || FileStatus(linkAt: files.description.path) != nil,
                    let lock = (try? FileLock.attempt(path: files.owner)).flatMap({ $0 })
                else { continue }
                Self.removeFiles(path)
                lock.release()
            }
        }
        claims.tidy(names)
    }

    private static func removeFiles(_ path: String) {
        for name in FolderNames.all(in: path) { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    private static func json(_ description: TransferDescription) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return (try? encoder.encode(description)).map { Array($0) } ?? []
    }

    private static func reason(_ error: any Error) -> String {
        if case DecodingError.dataCorrupted(let context)? = error as? DecodingError, !context.debugDescription.isEmpty {
            return context.debugDescription
        }
        return "it is damaged, or not a description of a transfer"
    }

    /// Syncs the names in the folder to the disk.
    private func sync() {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        FileWriting.sync(descriptor)
        close(descriptor)
    }

    func failure(_ fault: FileFault) -> SternaError {
        fault.error(.writeFailed, title: "The store of transfers", path: path, what: "used")
    }
}
