import NIOCore
package import SternaCore
import SternaPlatform
import Synchronization

/// A store of responses in a folder: one file for each entry, and a journal of them.
///
/// Several processes may use one folder. ``CacheFolder`` lists the files, ``JournalHeader``, ``JournalRecord``, ``EntryHeader`` and
/// ``HeadSlot`` their formats. An entry's file is written under another name and renamed when it is complete; then the journal lists it.
/// Every byte that is served was checked against a checksum: an entry that a crash, a full disk or another program damaged is dropped.
/// What was committed survives the end of the process, and after ``sync()`` a power failure. All files are readable by their owner alone.
///
/// All work on files is done in ``BlockingWork``. The lock of the journal is held only there, and never across an `await`.
package final class DiskCache: CacheStorage {
    /// The length up to which a body is checked as a whole when it is used for the first time; longer ones are checked while they
    /// are read.
    static let checkedAtOnce: Int64 = 16 << 20

    /// The number of uses that are noted before they are written; those beyond 16 times as many are not noted.
    static let usesAtOnce = 64

    /// The number of entries up to which ``sync()`` knows which ones are to be synced; beyond, it syncs all.
    static let mostUnsynced = 4_096

    let folder: CacheFolder
    package let limits: CacheLimits
    let now: @Sendable () -> Int64

    // Touched by threads of BlockingWork only, since others would wait for a disk.
    let journal: Mutex<CacheJournal>
    private let notes = Mutex(Notes())

    private struct Notes {
        var uses: [CacheEntryID] = []
        // The entries whose files were checked, by their nonces.
        var checked: Set<UInt64> = []
        // The entries that a power failure may take; nil for any.
        var unsynced: Set<CacheEntryID>? = []
        // How often all entries were removed, by this store and, as of its last look, by any.
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
    ///   - now: the time in milliseconds since 1970.
    ///   - isTidying: whether the first use begins ``tidy()`` in the background.
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

    /// Runs file work, whose errors are for nobody: a store without a disk has no entries.
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

    /// Opens an entry; nil if it is damaged, which drops it.
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

    /// Removes an entry that could not be read, unless that was for a change of its head at the same time: under the lock there is none.
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

    /// Changes the journal, and writes the uses that were noted.
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

    /// Begins an entry with an identifier of the caller's; nil if it cannot be stored.
    func writer(_ id: CacheEntryID, head: Bytes, length: Int64?) -> DiskCacheWriter? {
        guard limits.admits(head: head.readableBytes, length: length ?? 0),
            HeadSlot.size(forHead: head.readableBytes) <= EntryHeader.mostSlotSize
        else { return nil }
        // Nothing waits for the disk here: the response is on its way.
        return DiskCacheWriter(
            self, id, head, length, since: notes.withLock { Epoch(clears: $0.clears, known: $0.epoch) })
    }

    /// When an entry began: the removals of all entries until then, as far as they were known.
    struct Epoch: Sendable {
        let clears: Int
        let known: UInt64?
    }

    /// Makes a complete file an entry; returns false if it could not be listed, or all entries were removed since it began.
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
        // After the journal lists the new one, so that one of both survives.
        for other in replaced { unlink(folder.path(of: other)) }
        notes.withLock { $0.stored(id) }
        return true
    }

    /// The size that a file takes.
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

    /// Removes entries; called by readers of damaged ones, too.
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
                    // Entries of a lost journal, too.
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

    /// Removes the entry that one which could not be written would have replaced.
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

    /// Returns which of the given entries are no longer there.
    nonisolated(nonsending) func missing(among ids: [CacheEntryID]) async -> [CacheEntryID] {
        await onDisk([]) { [self] in
            journal.withLock { $0.query { state in ids.filter { !state.contains($0) } } } ?? ids
        }
    }

    // MARK: All entries

    package nonisolated(nonsending) func list() async -> [CacheListing] {
        await onDisk([]) { [self] in
            // None of a lost journal's may be missing, as the list is also what is removed.
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

    /// Puts the folder in order: lists the entries of a lost journal, and removes old entries and the files that killed processes left.
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

    /// Lists the entries of a lost journal; returns whether it was lost.
    @discardableResult
    private func adoptLost(_ names: () -> [String]) -> Bool {
        guard journal.withLock({ $0.query(\.header.isIncomplete) }) == true else { return false }
        let files = names().filter(EntryHeader.isFileName)
        journal.withLock { $0.adopt(files.compactMap(found)) }
        return true
    }

    /// Returns what the journal has to know of a file in the folder; nil if it is no entry, and removes it then.
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
