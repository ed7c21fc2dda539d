import NIOCore
import SternaCore
import SternaPlatform

/// The journal file of a ``DiskCache``, and the state that its records produce.
///
/// Several processes append to one journal, under the lock of ``FileLock`` and after reading what others appended. A journal is
/// replaced as a whole by one with another generation, which other processes notice by the file's identity. All functions wait for
/// the disk. None throws: without a journal there are no entries.
struct CacheJournal: ~Copyable {
    let folder: CacheFolder
    let limits: CacheLimits

    /// How long to wait for other processes' locks.
    private var patience: Duration { limits.patience * 2 }

    /// The maximum length of a journal in bytes; a longer file was not written by a cache.
    private static let longest: Int64 = 1 << 30

    /// The entries; nil until the journal was opened, or if that failed.
    private(set) var state: JournalState?

    private var descriptor: CInt = -1
    private var identity: FileStatus.Identity?

    init(_ folder: CacheFolder, limits: CacheLimits) {
        self.folder = folder
        self.limits = limits
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads the records that others have appended, and queries the state; nil if there is no journal.
    ///
    /// It takes no lock and reads nothing if the file has not changed.
    mutating func query<Answer>(_ question: (JournalState) -> Answer) -> Answer? {
        if isCurrent { return state.map(question) }
        guard folder.make(), let lock = try? FileLock.acquire(path: folder.journal, timeout: patience) else {
            return nil
        }
        defer { lock.release() }
        return load() ? state.map(question) : nil
    }

    private var isCurrent: Bool {
        guard let length = state?.length, let status = FileStatus(linkAt: folder.journal) else { return false }
        return status.identity == identity && status.size == length
    }

    /// Changes entries under the lock, after reading the records that others have appended, and evicts entries beyond the limits.
    ///
    /// - Parameter change: returns the records to append, nil to change nothing; adds and removes files before their records are
    ///   written.
    /// - Returns: whether the records were appended, all or none.
    @discardableResult
    mutating func change(_ change: (JournalState) -> [JournalRecord]?) -> Bool {
        guard folder.make(), let lock = try? FileLock.acquire(path: folder.journal, timeout: patience) else {
            return false
        }
        defer { lock.release() }
        guard load(), let records = state.flatMap(change) else { return false }
        return append(records)
    }

    private mutating func append(_ records: [JournalRecord]) -> Bool {
        // Taken out of the property, so that it is changed without a copy.
        guard var state = state.take() else { return false }
        let start = state.length
        var bytes = state.append(records)
        var evicted: [JournalRecord] = []
        while let entry = state.evict() {
            unlink(folder.path(of: entry.id))
            evicted.append(JournalRecord(.evicted, entry.id))
        }
        bytes += state.append(evicted)
        guard bytes.withUnsafeBytes({ CacheFolder.write($0, descriptor, at: start) }) else {
            // The journal is read again from the beginning.
            ftruncate(descriptor, off_t(start))
            return false
        }
        self.state = state
        if state.isBloated { replace(state.compacted(generation: .random(in: 0 ... .max))) }
        return true
    }

    /// Replaces the journal by another one. The caller holds the lock.
    @discardableResult
    private mutating func replace(_ bytes: [UInt8]) -> Bool {
        do {
            try PrivateFile(path: folder.journal, title: "The journal").replace(bytes, timeout: patience)
        } catch {
            return false
        }
        return load()
    }

    /// Removes all entries.
    mutating func clear() {
        guard folder.make(), let lock = try? FileLock.acquire(path: folder.journal, timeout: patience) else {
            return
        }
        defer { lock.release() }
        let epoch = load() ? state?.header.epoch ?? 0 : 0
        for name in folder.names() where EntryHeader.isFileName(name) { unlink("\(folder.entries)/\(name)") }
        let header = JournalHeader(generation: .random(in: 0 ... .max), epoch: epoch &+ 1)
        replace(header.bytes)
    }

    /// After the loss of a journal, lists the entries found in the folder, and removes files that newer ones replace.
    mutating func adopt(_ found: [JournalEntry]) {
        guard let lock = try? FileLock.acquire(path: folder.journal, timeout: patience) else { return }
        defer { lock.release() }
        guard load(), var state, state.header.isIncomplete else { return }
        for entry in found.sorted(by: { $0.stored < $1.stored }) where !state.contains(entry.id) {
            let path = folder.path(of: entry.id)
            let known = state.entries(of: entry.id.key).first { $0.id.variant == entry.id.variant }
            if let known, known.stored >= entry.stored {
                unlink(path)
            } else if access(path, F_OK) == 0 {
                if let known { unlink(folder.path(of: known.id)) }
                _ = state.append([JournalRecord(stored: entry)])
            }
        }
        replace(state.compacted(generation: .random(in: 0 ... .max), isIncomplete: false))
        _ = append([])
    }

    /// Removes files that the journal does not list, of processes killed between two steps. The caller listed the names before.
    mutating func removeUnlisted(_ names: [String]) {
        guard let lock = try? FileLock.acquire(path: folder.journal, timeout: patience) else { return }
        defer { lock.release() }
        guard load(), let state, !state.header.isIncomplete else { return }
        let listed = Set(state.entries.map { EntryHeader.fileName($0.id) })
        for name in names where !listed.contains(name) { unlink("\(folder.entries)/\(name)") }
    }

    /// Waits until the journal is on disk.
    func sync() {
        guard descriptor >= 0 else { return }
        FileWriting.sync(descriptor)
    }

    // MARK: Under the lock

    /// Reads new records, and makes a journal if none is readable.
    private mutating func load() -> Bool {
        if var known = state, let status = FileStatus(linkAt: folder.journal), status.identity == identity,
            status.size >= known.length, status.size <= Self.longest
        {
            guard status.size > known.length else { return true }
            guard let tail = CacheFolder.read(descriptor, at: known.length, count: Int(status.size - known.length))
            else { return false }
            state = nil
            if !tail.withUnsafeReadableBytes({ known.replay($0) }) { ftruncate(descriptor, off_t(known.length)) }
            state = known
            return true
        }
        return open() || make()
    }

    private mutating func forget() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        identity = nil
        state = nil
    }

    private mutating func open() -> Bool {
        forget()
        guard let opened = CacheFolder.open(folder.journal, O_RDWR).descriptor else { return false }
        guard let status = FileStatus(descriptor: opened), status.size >= JournalHeader.size,
            status.size <= Self.longest,
            let bytes = CacheFolder.read(opened, at: 0, count: Int(status.size)),
            let read = bytes.withUnsafeReadableBytes({ Self.state($0, limits) })
        else {
            close(opened)
            return false
        }
        descriptor = opened
        identity = status.identity
        if read.length != status.size { ftruncate(descriptor, off_t(read.length)) }
        state = read
        return true
    }

    /// Reads a whole journal; nil if its header is invalid.
    static func state(_ bytes: UnsafeRawBufferPointer, _ limits: CacheLimits) -> JournalState? {
        guard let header = JournalHeader(bytes) else { return nil }
        var state = JournalState(header, capacity: limits.bytes, limit: limits.entries)
        state.replay(UnsafeRawBufferPointer(rebasing: bytes[JournalHeader.size...]))
        return state
    }

    private mutating func make() -> Bool {
        // Removes anything but a regular file, such as a link, which must not be followed.
        if let status = FileStatus(linkAt: folder.journal), !status.isRegular { unlink(folder.journal) }
        let isIncomplete = folder.names().contains(where: EntryHeader.isFileName)
        let header = JournalHeader(generation: .random(in: 0 ... .max), isIncomplete: isIncomplete)
        guard (try? PrivateFile(path: folder.journal).replace(header.bytes, timeout: patience)) != nil else {
            return false
        }
        return open()
    }
}
