import NIOCore
package import SternaCore
import Synchronization

/// A memory store over a disk store: recently used entries are served from memory, and all are on disk, except those stored with
/// `isInMemoryOnly`.
///
/// Memory is served in place of the disk only if it has all variants of a key. Both stores use the same identifiers. Entries that
/// other processes removed from disk leave memory within a second, since hits check the disk that often. The check exempts entries
/// that are not on disk yet, or must not be.
package final class LayeredCache: CacheStorage {
    /// How long memory is used without a check of the disk, in milliseconds.
    static let unchecked: Int64 = 1_000

    /// The maximum number of keys that are known not to be on disk.
    private static let mostAbsent = 1_024

    private let memory: MemoryCache
    private let disk: DiskCache
    private let state = Mutex(State())

    private struct State {
        // Entries in memory that are not on disk: those being written, and those that must not be written.
        var memoryOnly: Set<CacheEntryID> = []
        var writes: [CacheEntryID: Task<Void, Never>] = [:]
        var nextCheck: Int64 = 0
        // Keys that had no entry on disk when they were looked up last.
        var absent: Set<CacheKey> = []
        var lookUps: [CacheKey: LookUp] = [:]

        /// Ends a look-up of a key, and returns whether an entry was written meanwhile.
        mutating func endLookUp(of key: CacheKey, isAbsent: Bool) -> Bool {
            guard var lookUp = lookUps.removeValue(forKey: key) else { return true }
            lookUp.count -= 1
            if lookUp.count > 0 { lookUps[key] = lookUp }
            if isAbsent, !lookUp.isOutdated {
                if absent.count >= LayeredCache.mostAbsent { absent = [] }
                absent.insert(key)
            }
            return lookUp.isOutdated
        }

        /// Notes that an entry was written to disk, or failed to be.
        mutating func noteWritten(_ id: CacheEntryID) {
            memoryOnly.remove(id)
            writes[id] = nil
            absent.remove(id.key)
            lookUps[id.key]?.isOutdated = true
        }
    }

    /// The look-ups of a key on disk that are under way.
    private struct LookUp {
        var count = 0
        // Whether an entry was written meanwhile.
        var isOutdated = false
    }

    package init(_ memory: MemoryCache, over disk: DiskCache) { (self.memory, self.disk) = (memory, disk) }

    package var commitsAtOnce: Bool { true }

    package nonisolated(nonsending) func variants(of key: CacheKey) async -> [CachedVariant] {
        var found = memory.lookUp(key)
        if !found.variants.isEmpty, isCheckDue() {
            await dropMissing()
            found = memory.lookUp(key)
        }
        return found.isWhole ? found.variants : await load(key)
    }

    private func isCheckDue() -> Bool {
        let now = disk.now()
        return state.withLock { state in
            // A clock that was set back must not stop the checks.
            guard now >= state.nextCheck || state.nextCheck - now > Self.unchecked else { return false }
            state.nextCheck = now + Self.unchecked
            return true
        }
    }

    /// Returns the variants of a key from both stores, and keeps those from disk in memory if all are small.
    private nonisolated(nonsending) func load(_ key: CacheKey) async -> [CachedVariant] {
        state.withLock { $0.lookUps[key, default: LookUp()].count += 1 }
        let onDisk = await disk.lookUp(key)
        let inMemory = memory.find(key)
        // Of two entries of a variant, the one in memory is newer: it is committed there first.
        let further = onDisk.variants.filter { entry in !inMemory.contains { $0.id.variant == entry.id.variant } }
        let isKept = onDisk.isWhole && further.allSatisfy { if case .whole = $0.body { true } else { false } }
        if isKept { memory.complete(key, inMemory, adding: further) }
        let isOutdated = state.withLock { $0.endLookUp(of: key, isAbsent: onDisk.isWhole && onDisk.variants.isEmpty) }
        if isOutdated {
            // Memory would be served in place of what was written meanwhile.
            memory.markPartial(key)
            for entry in further { await memory.remove(entry.id) }
        }
        guard !inMemory.isEmpty else { return onDisk.variants }
        return (inMemory + further).sorted { $0.stored > $1.stored }
    }

    private nonisolated(nonsending) func dropMissing() async {
        let ids = memory.ids
        let known = state.withLock { state in
            // Forget entries that memory has evicted meanwhile.
            state.memoryOnly.formIntersection(Set(ids).union(state.writes.keys))
            return state.memoryOnly
        }
        let missing = await disk.missing(among: ids.filter { !known.contains($0) })
        for id in missing where !state.withLock({ $0.memoryOnly.contains(id) }) { await memory.remove(id) }
    }

    package func noteUse(of id: CacheEntryID) {
        memory.noteUse(of: id)
        disk.noteUse(of: id)
    }

    package nonisolated(nonsending) func store(
        _ key: CacheKey, variant: UInt64, head: Bytes, length: Int64?, isInMemoryOnly: Bool
    ) async -> (any CacheWriter)? {
        let id = CacheEntryID(key: key, variant: variant, nonce: .random(in: 0 ... .max))
        let upper = memory.writer(id, head: head, length: length)
        let lower = isInMemoryOnly ? nil : disk.writer(id, head: head, length: length)
        guard upper != nil || lower != nil else { return nil }
        return LayeredWriter(self, id, upper, lower)
    }

    /// Commits an entry: at once to memory, and to disk in the background, unless memory refused it.
    fileprivate nonisolated(nonsending) func commit(
        _ id: CacheEntryID, _ upper: MemoryCacheWriter?, _ lower: DiskCacheWriter?, head: Bytes?
    ) async -> CacheEntryID? {
        let isPartial = state.withLock { state in
            state.memoryOnly.insert(id)
            return !state.absent.contains(id.key)
        }
        let isInMemory = upper?.commit(head: head, isPartial: isPartial) != nil
        // If memory has no room for the new entry, the one that it replaces must not be served.
        if !isInMemory { await removeReplaced(by: id) }
        guard let lower else {
            if !isInMemory { forget(id) }
            return isInMemory ? id : nil
        }
        let write = Task { [self] in
            let isOnDisk = await lower.commit(head: head) != nil
            // If the disk refused the entry, memory must not serve it either, since other processes could not replace it. The entry
            // that it replaces must not be served again.
            if !isOnDisk {
                await memory.remove(id)
                await disk.removeVariant(of: id)
            }
            state.withLock { $0.noteWritten(id) }
            if !memory.contains(id) { memory.markPartial(id.key) }
        }
        state.withLock { state in
            // Unless the write has ended already.
            if state.memoryOnly.contains(id) { state.writes[id] = write }
        }
        if !isInMemory { await write.value }
        return id
    }

    private func forget(_ id: CacheEntryID) { state.withLock { _ = $0.memoryOnly.remove(id) } }

    private nonisolated(nonsending) func removeReplaced(by id: CacheEntryID) async {
        for variant in memory.find(id.key) where variant.id.variant == id.variant { await memory.remove(variant.id) }
    }

    package nonisolated(nonsending) func update(_ id: CacheEntryID, head: Bytes) async -> Bool {
        await written(id)
        let isInMemory = await memory.update(id, head: head)
        let isOnDisk = await disk.update(id, head: head)
        return isInMemory || isOnDisk
    }

    package nonisolated(nonsending) func remove(_ id: CacheEntryID) async {
        await memory.remove(id)
        await written(id)
        await disk.remove(id)
        forget(id)
    }

    package nonisolated(nonsending) func remove(_ keys: [CacheKey]) async {
        await memory.remove(keys)
        for id in state.withLock({ $0.writes.keys.filter { keys.contains($0.key) } }) { await written(id) }
        await disk.remove(keys)
    }

    package nonisolated(nonsending) func remove(where matches: @Sendable (CacheListing) -> Bool) async {
        for listing in await list() where matches(listing) { await remove(listing.id) }
    }

    package nonisolated(nonsending) func list() async -> [CacheListing] {
        await allWritten()
        let onDisk = await disk.list()
        let known = Set(onDisk.map(\.id))
        return await memory.list().filter { !known.contains($0.id) } + onDisk
    }

    package nonisolated(nonsending) func usage() async -> CacheUsage {
        await allWritten()
        let unwritten = state.withLock { $0.memoryOnly.subtracting($0.writes.keys) }
        var usage = await disk.usage()
        let further = memory.usage(of: unwritten)
        usage.entries += further.entries
        usage.bytes += further.bytes
        return usage
    }

    package nonisolated(nonsending) func clear() async {
        await memory.clear()
        await disk.clear()
        // The entries that were being written are discarded or committed by now, and removed below.
        await allWritten()
        await memory.clear()
        await disk.clear()
        state.withLock { $0.memoryOnly = [] }
    }

    package nonisolated(nonsending) func sync() async {
        await allWritten()
        await disk.sync()
    }

    /// Waits until an entry is on disk, or was discarded.
    private nonisolated(nonsending) func written(_ id: CacheEntryID) async {
        if let write = state.withLock({ $0.writes[id] }) { await write.value }
    }

    private nonisolated(nonsending) func allWritten() async {
        while let write = state.withLock({ $0.writes.first?.value }) { await write.value }
    }
}

/// Writes an entry of a ``LayeredCache`` to both stores.
private final class LayeredWriter: CacheWriter {
    private let cache: LayeredCache
    private let id: CacheEntryID
    private let upper: MemoryCacheWriter?
    private let lower: DiskCacheWriter?

    init(_ cache: LayeredCache, _ id: CacheEntryID, _ upper: MemoryCacheWriter?, _ lower: DiskCacheWriter?) {
        (self.cache, self.id, self.upper, self.lower) = (cache, id, upper, lower)
    }

    nonisolated(nonsending) func append(_ piece: Bytes) async -> Bool {
        let isInMemory = await upper?.append(piece) ?? false
        let isOnDisk = await lower?.append(piece) ?? false
        return isInMemory || isOnDisk
    }

    nonisolated(nonsending) func commit(head: Bytes?) async -> CacheEntryID? {
        await cache.commit(id, upper, lower, head: head)
    }

    func discard() {
        upper?.discard()
        lower?.discard()
    }
}
