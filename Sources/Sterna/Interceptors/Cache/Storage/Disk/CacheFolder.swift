import NIOCore
import SternaCore
import SternaPlatform

/// The folder of a ``DiskCache``, and the operations on its files. All functions wait for the disk.
///
///     FOLDER/journal-1            the journal: a JournalHeader, then JournalRecords
///     FOLDER/journal-1.lock       locked while the journal is changed
///     FOLDER/entries-1/<32 digits>        an entry: an EntryHeader, two HeadSlots, the pieces of the body
///     FOLDER/entries-1/<32 digits>.part   an entry that is being written; locked by its writer
///
/// Names consist of hashes and random numbers. A new format uses names with another number.
struct CacheFolder: Sendable {
    static let unfinished = ".part"

    let path: String

    var journal: String { path + "/journal-1" }
    var entries: String { path + "/entries-1" }

    func path(of id: CacheEntryID) -> String { "\(entries)/\(EntryHeader.fileName(id))" }

    /// Makes the folders, which only their owner can read. Returns whether they exist.
    func make() -> Bool {
        guard !path.isEmpty, !path.utf8.contains(0) else { return false }
        if let status = FileStatus(linkAt: entries) { return status.isDirectory && status.owner == geteuid() }
        // The parent folders, outermost first.
        for end in path.utf8.indices.dropFirst() where path.utf8[end] == UInt8(ascii: "/") {
            mkdir(String(path[..<end]), 0o700)
        }
        mkdir(path, 0o700)
        return mkdir(entries, 0o700) == 0 || FileStatus(linkAt: entries)?.isDirectory == true
    }

    /// Begins the file of an entry; nil on failure.
    func newFile(_ id: CacheEntryID) -> NewEntryFile? {
        let path = path(of: id) + Self.unfinished
        return NewEntryFile(path) ?? (make() ? NewEntryFile(path) : nil)
    }

    /// Opens a regular file of this user without following a link; nil on failure, with the error code.
    static func open(_ path: String, _ flags: CInt) -> (descriptor: CInt?, reason: CInt) {
        let descriptor = SternaPlatform.open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return (nil, errno) }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular, status.owner == geteuid() else {
            close(descriptor)
            return (nil, ENOENT)
        }
        return (descriptor, 0)
    }

    /// Writes all bytes at an offset. Returns whether that succeeded.
    static func write(_ bytes: UnsafeRawBufferPointer, _ descriptor: CInt, at offset: Int64) -> Bool {
        FileWriting.write(bytes, to: descriptor, at: offset) == 0
    }

    /// Reads bytes at an offset, fewer at the end of the file; nil on failure.
    static func read(_ descriptor: CInt, at offset: Int64, count: Int) -> Bytes? {
        var bytes = Bytes()
        var isReadable = true
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            var done = 0
            while done < count {
                let result = pread(
                    descriptor, space.baseAddress?.advanced(by: done), count - done, off_t(offset) + off_t(done))
                if result < 0, errno == EINTR { continue }
                if result < 0 { isReadable = false }
                guard result > 0 else { break }
                done += result
            }
            return done
        }
        return isReadable ? bytes : nil
    }

    /// The names of all files in the folder of entries.
    func names() -> [String] { FolderNames.all(in: entries) }

    /// Waits until a file's bytes, or a folder's names, are on disk.
    static func sync(_ path: String) {
        let descriptor = SternaPlatform.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        FileWriting.sync(descriptor)
        close(descriptor)
    }

    /// Removes files of killed writers.
    func removeUnfinished(_ names: [String]) {
        for name in names where name.utf8.reversed().starts(with: Self.unfinished.utf8.reversed()) {
            let path = "\(entries)/\(name)"
            guard let descriptor = Self.open(path, O_RDWR).descriptor else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }
}
