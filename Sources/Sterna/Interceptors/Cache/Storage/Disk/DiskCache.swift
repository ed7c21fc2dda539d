import NIOCore
package import SternaCore
import SternaPlatform
import Synchronization

/// A store in a folder, with one file for each entry and a journal of all entries.
///
/// Several processes may share a folder. ``CacheFolder`` lists the files; ``JournalHeader``, ``JournalRecord``, ``EntryHeader`` and
/// ``HeadSlot`` describe their formats. An entry's file is written under a temporary name, renamed when it is complete, and then
/// listed by the journal. All bytes that are served have passed a checksum: an entry damaged by a crash, a full disk or another
/// program is removed. Committed entries survive the end of the process, and after ``sync()`` a power failure. Only their owner can
/// read the files.
///
/// ``BlockingWork`` runs all file operations. Only there is the journal's lock held, never across an `await`.
package final class DiskCache: CacheStorage {
    /// The maximum length of a body whose checksums are all verified at its first use; longer bodies are verified while they are
    /// read.
    static let checkedAtOnce: Int64 = 16 << 20

    /// The number of uses after which they are written; beyond 16 times as many, uses are not counted.
    static let usesAtOnce = 64

    /// The maximum number of entries that ``sync()`` syncs one by one; beyond, it syncs all.
    static let mostUnsynced = 4_096

    let folder: CacheFolder
    package let limits: CacheLimits
    let now: @Sendable () -> Int64

    // Only for threads of BlockingWork, since others would wait for a disk.
    let journal: Mutex<CacheJournal>
    private let notes = Mutex(Notes())

    private struct Notes {
        var uses: [CacheEntryID] = []
        // The nonces of the entries whose checksums were verified.
        var checked: Set<UInt64> = []
        // The entries that are not safe from a power failure; nil for all.
        var unsynced: Set<CacheEntryID>? = []
        // How often this store removed all entries; below, the epoch counts that for all processes, as last read.
        var clears = 0
        var epoch: UInt64?
        var isTidied = false

        mutating func stored(_ id: CacheEntryID) {
            unsynced?.insert(id)
            if unsynced.map({ $0.count > DiskCache.mostUnsynced }) == true { unsynced = nil }
        }
    }

    /// Makes a store in a folder, which need not exist. Nothing is read before the first use.
    ///
    /// - Parameters:
    ///   - isTidying: whether the first use begins ``tidy()`` in the background.
    ///   - now: returns the time in milliseconds since 1970.
    package init(
        folder: String, limits: CacheLimits, isTidying: Bool = true,
        now: @escaping @Sendable () -> Int64 = CacheClock.now
    ) {
        self.folder = CacheFolder(path: folder)
        self.limits = limits
        self.now = now
        journal = Mutex(CacheJournal(self.folder, limits: limits))
        notes.withLock { $0.isTidied = !isTidying }
    }

    /// Runs file operations on a thread of ``BlockingWork``; returns the fallback on failure, since a store without a disk acts as
    /// empty.
    private nonisolated(nonsending) func onDisk<Result: Sendable>(
        _ fallback: Result, _ work: @escaping @Sendable () -> Result
    ) async -> Result {
        let isFirst = notes.withLock { notes in
            defer { notes.isTidied = true }
            return !notes.isTidied
        }
        if isFirst { Task { await tidy() } }
        return (try? await BlockingWork.run(work)) ?? fallback
    }

    // MARK: Reading

    package nonisolated(nonsending) func variants(of key: CacheKey) async -> [CachedVariant] {
        await onDisk([]) { [self] in read(key) }
    }

    private func read(_ key: CacheKey) -> [CachedVariant] {
        let found = journal.withLock { $0.query { ($0.entries(of: key), $0.header.epoch) } }
        notes.withLock { $0.epoch = found?.1 }
        return (found?.0 ?? []).compactMap { entry in
            guard isRecent(entry) else {
                drop([entry.id])
                return nil
            }
            return open(entry.id).map { file in
                let body = file.body.map { .whole($0) } ?? CachedBody.reader(DiskCacheReader(self, file))
                return CachedVariant(id: entry.id, known: CachedHead(file.head), body: body, stored: file.header.stored)
            }
        }
    }

    private func isRecent(_ entry: JournalEntry) -> Bool {
        guard let age = limits.age else { return true }
        return entry.stored >= now().subtractingReportingOverflow(age).partialValue
    }

    /// Opens an entry; nil if it is unreadable. A damaged entry is removed.
    private func open(_ id: CacheEntryID) -> EntryFile? {
        do {
            let file = try EntryFile(folder.path(of: id), id: id)
            if file.body == nil, file.header.length <= Self.checkedAtOnce,
                !notes.withLock({ $0.checked.contains(id.nonce) })
            {
                try file.verify()
                notes.withLock { notes in
                    if notes.checked.count >= limits.entries { notes.checked = [] }
                    notes.checked.insert(id.nonce)
                }
            }
            return file
        } catch EntryFile.Fault.unusable {
            dropDamaged(id)
            return nil
        } catch {
            return nil
        }
    }

    /// Removes a damaged entry, after another check under the lock: its head may have been changing during the first.
    private func dropDamaged(_ id: CacheEntryID) {
        change { state in
            guard state.contains(id) else { return nil }
            let path = folder.path(of: id)
            do throws(EntryFile.Fault) {
                try EntryFile(path, id: id).verify()
                return nil
            } catch {
                guard case .unusable = error else { return nil }
                unlink(path)
                return [JournalRecord(.removed, id)]
            }
        }
    }

    package func noteUse(of id: CacheEntryID) {
        let isFull = notes.withLock { notes in
            guard notes.uses.count < 16 * Self.usesAtOnce else { return false }
            notes.uses.append(id)
            return notes.uses.count == Self.usesAtOnce
        }
        if isFull { Task { await onDisk(()) { [self] in _ = change { _ in [] } } } }
    }

    /// Changes the journal, and writes the counted uses to it.
    @discardableResult
    private func change(_ change: (JournalState) -> [JournalRecord]?) -> Bool {
        let uses = notes.withLock { notes in
            defer { notes.uses = [] }
            return notes.uses
        }
        return journal.withLock { journal in
            journal.change { state in
                change(state).map { records in
                    uses.filter { state.contains($0) }.map { JournalRecord(.used, $0) } + records
                }
            }
        }
    }

    // MARK: Writing

    package var commitsAtOnce: Bool { false }

    package nonisolated(nonsending) func store(
        _ key: CacheKey, variant: UInt64, head: Bytes, length: Int64?, isInMemoryOnly: Bool
    ) async -> (any CacheWriter)? {
        guard !isInMemoryOnly else { return nil }
        return writer(
            CacheEntryID(key: key, variant: variant, nonce: .random(in: 0 ... .max)), head: head, length: length)
    }

    /// Begins an entry with a given identifier; nil if it cannot be stored.
    func writer(_ id: CacheEntryID, head: Bytes, length: Int64?) -> DiskCacheWriter? {
        guard limits.admits(head: head.readableBytes, length: length ?? 0),
            HeadSlot.size(forHead: head.readableBytes) <= EntryHeader.mostSlotSize
        else { return nil }
        // The response is arriving, so this must not wait for the disk.
        return DiskCacheWriter(
            self, id, head, length, since: notes.withLock { Epoch(clears: $0.clears, known: $0.epoch) })
    }

    /// The removals of all entries that were known when an entry began.
    struct Epoch: Sendable {
        let clears: Int
        let known: UInt64?
    }

    /// Makes a complete file an entry. Returns false if the file is larger than the store or could not be listed, or if all entries
    /// were removed since it began.
    func publish(_ file: NewEntryFile, _ header: EntryHeader, since epoch: Epoch) -> Bool {
        let (id, path) = (header.id, folder.path(of: header.id))
        let entry = JournalEntry(id: id, size: Self.sizeOnDisk(header.fileSize), stored: header.stored)
        guard entry.size <= limits.bytes else { return false }
        var replaced: [CacheEntryID] = []
        var isPlaced = false
        let isListed = change { state in
            guard epoch.known == nil || epoch.known == state.header.epoch,
                notes.withLock({ $0.clears }) == epoch.clears
            else { return nil }
            isPlaced = file.place(at: path)
            guard isPlaced else { return nil }
            let others = state.entries(of: id.key)
            replaced = others.filter { $0.id.variant == id.variant }.map(\.id)
            let surplus = others.filter { $0.id.variant != id.variant }.dropFirst(max(1, limits.variants) - 1)
            for other in surplus { unlink(folder.path(of: other.id)) }
            return surplus.map { JournalRecord(.removed, $0.id) } + [JournalRecord(stored: entry)]
        }
        guard isListed else {
            if isPlaced { unlink(path) }
            return false
        }
        // Remove them after the journal lists the new entry, so that one of both survives a crash.
        for other in replaced { unlink(folder.path(of: other)) }
        notes.withLock { $0.stored(id) }
        return true
    }

    /// Returns the space that a file takes on disk, in bytes.
    static func sizeOnDisk(_ size: Int64) -> Int64 { (size + 4_095) & ~4_095 }

    package nonisolated(nonsending) func update(_ id: CacheEntryID, head: Bytes) async -> Bool {
        guard head.readableBytes <= limits.headBytes else { return false }
        return await onDisk(false) { [self] in
            change { state in
                let path = folder.path(of: id)
                guard state.contains(id), let file = try? EntryFile(path, id: id, flags: O_RDWR),
                    limits.admits(head: head.readableBytes, length: file.header.length),
                    let size = file.update(head, at: path)
                else { return nil }
                notes.withLock { $0.stored(id) }
                guard size != file.header.fileSize else { return [] }
                let entry = JournalEntry(id: id, size: Self.sizeOnDisk(size), stored: file.header.stored)
                return [JournalRecord(stored: entry)]
            }
        }
    }

    // MARK: Removing

    package nonisolated(nonsending) func remove(_ id: CacheEntryID) async {
        await onDisk(()) { [self] in drop([id]) }
    }

    /// Removes entries, listed ones only.
    func drop(_ ids: [CacheEntryID]) {
        change { state in
            let listed = ids.filter { state.contains($0) }
            for id in listed { unlink(folder.path(of: id)) }
            return listed.isEmpty ? nil : listed.map { JournalRecord(.removed, $0) }
        }
    }

    package nonisolated(nonsending) func remove(_ keys: [CacheKey]) async {
        await onDisk(()) { [self] in
            _ = change { state in
                if state.header.isIncomplete {
                    // Entries of a lost journal are not listed, and are found by their names.
                    let prefixes = keys.map(EntryHeader.prefix)
                    for name in folder.names()
                    where EntryHeader.isFileName(name) && prefixes.contains(where: name.hasPrefix) {
                        unlink("\(folder.entries)/\(name)")
                    }
                }
                let listed = keys.flatMap { state.entries(of: $0) }
                for entry in listed { unlink(folder.path(of: entry.id)) }
                return listed.isEmpty ? nil : listed.map { JournalRecord(.removed, $0.id) }
            }
        }
    }

    /// Removes the entry that would have been replaced by one that could not be written.
    nonisolated(nonsending) func removeVariant(of id: CacheEntryID) async {
        await onDisk(()) { [self] in
            _ = change { state in
                let replaced = state.entries(of: id.key).filter { $0.id.variant == id.variant }
                for entry in replaced { unlink(folder.path(of: entry.id)) }
                return replaced.isEmpty ? nil : replaced.map { JournalRecord(.removed, $0.id) }
            }
        }
    }

    package nonisolated(nonsending) func remove(where matches: @Sendable (CacheListing) -> Bool) async {
        let ids = await list().filter(matches).map(\.id)
        if !ids.isEmpty { await onDisk(()) { [self] in drop(ids) } }
    }

    package nonisolated(nonsending) func clear() async {
        await onDisk(()) { [self] in
            notes.withLock { notes in
                notes.uses = []
                notes.clears += 1
                notes.epoch = nil
            }
            journal.withLock { $0.clear() }
        }
    }

    /// Returns which of the given entries no longer exist.
    nonisolated(nonsending) func missing(among ids: [CacheEntryID]) async -> [CacheEntryID] {
        await onDisk([]) { [self] in
            journal.withLock { $0.query { state in ids.filter { !state.contains($0) } } } ?? ids
        }
    }

    // MARK: All entries

    package nonisolated(nonsending) func list() async -> [CacheListing] {
        await onDisk([]) { [self] in
            // List the entries of a lost journal, too, since callers remove what the list has.
            adoptLost(folder.names)
            let entries = journal.withLock { $0.query(\.entries) } ?? []
            return entries.compactMap { entry in
                open(entry.id).map {
                    CacheListing(id: entry.id, head: $0.head, length: $0.header.length, stored: $0.header.stored)
                }
            }
        }
    }

    package nonisolated(nonsending) func usage() async -> CacheUsage {
        await onDisk(CacheUsage()) { [self] in journal.withLock { $0.query(\.usage) } ?? CacheUsage() }
    }

    package nonisolated(nonsending) func sync() async {
        await onDisk(()) { [self] in
            _ = change { _ in [] }
            let ids = notes.withLock { notes in
                defer { notes.unsynced = [] }
                return notes.unsynced
            }
            let paths = ids.map { $0.map(folder.path(of:)) } ?? folder.names().map { "\(folder.entries)/\($0)" }
            for path in paths { CacheFolder.sync(path) }
            CacheFolder.sync(folder.entries)
            journal.withLock { $0.sync() }
            CacheFolder.sync(folder.path)
        }
    }

    /// Tidies the folder: lists the entries of a lost journal, removes expired entries, and removes files of killed processes.
    ///
    /// The first use of the store begins it in the background.
    package nonisolated(nonsending) func tidy() async {
        try? await BlockingWork.run { [self] in
            let names = folder.names()
            folder.removeUnfinished(names)
            guard journal.withLock({ $0.query(\.header.isIncomplete) }) != nil else { return }
            if !adoptLost({ names }) {
                journal.withLock { $0.removeUnlisted(names.filter(EntryHeader.isFileName)) }
            }
            let old = (journal.withLock { $0.query(\.entries) } ?? []).filter { !isRecent($0) }
            if !old.isEmpty { drop(old.map(\.id)) }
        }
    }

    /// Lists the entries of a lost journal. Returns whether it was lost.
    @discardableResult
    private func adoptLost(_ names: () -> [String]) -> Bool {
        guard journal.withLock({ $0.query(\.header.isIncomplete) }) == true else { return false }
        let files = names().filter(EntryHeader.isFileName)
        journal.withLock { $0.adopt(files.compactMap(found)) }
        return true
    }

    /// Returns the journal's entry for a file in the folder. A file that is not an entry is removed, and the result is nil.
    private func found(_ name: String) -> JournalEntry? {
        let path = "\(folder.entries)/\(name)"
        do {
            let file = try EntryFile(path, id: nil)
            if EntryHeader.fileName(file.header.id) == name {
                return JournalEntry(
                    id: file.header.id, size: Self.sizeOnDisk(file.header.fileSize), stored: file.header.stored)
            }
        } catch EntryFile.Fault.unreadable {
            return nil
        } catch {}
        unlink(path)
        return nil
    }
}
