import Sterna

/// The file of a session, which several commands may use at once. Only its owner can read it.
///
/// The functions wait for the disk.
struct SessionFile: Hashable, Sendable {
    let location: SessionLocation

    /// Reads the file; nil if there is none. Throws `fileUnreadable`, also for a file that other users can read or change.
    func load() throws(SternaError) -> SessionContent? {
        let file = saved
        do throws(FileFault) {
            guard let content = try file.load(upTo: SessionContent.Limits.bytes) else { return nil }
            guard !content.isForeign else { throw FileFault("it belongs to another user") }
            guard !content.isOpenToOthers else {
                throw FileFault("other users can read or change it; run chmod 600 on it")
            }
            return try SessionContent(parsing: content.bytes)
        } catch {
            throw file.unreadable(error)
        }
    }

    /// Changes the file under its lock, or makes it. Throws `fileUnreadable` and `writeFailed`.
    func update(_ change: (inout SessionContent) -> Void) throws {
        try location.makeFolder()
        try FileLock.withLock(path: location.path) {
            let old = try load()
            var new = old ?? SessionContent()
            change(&new)
            if new != old { try saved.write(new.json()) }
        }
    }

    private var saved: PrivateFile { PrivateFile(path: location.path, title: "The session") }
}
