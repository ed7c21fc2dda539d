import NIOCore
package import SternaCore
import Synchronization

/// A memory store over a disk store: recently used entries are served from memory, and all are on disk, except those stored with
/// `isInMemoryOnly`.
///
/// Both stores use the same identifiers. Entries that other processes removed from disk leave memory within a second, since hits
/// check the disk that often. The check exempts entries that are not on disk yet, or must not be.
package final class LayeredCache: CacheStorage {
    /// How long memory is used without a check of the disk, in milliseconds.
    static let unchecked: Int64 = 1_000

    private let memory: MemoryCache
    private let disk: DiskCache
    private let state = Mutex(State())

    private struct State {
        // Entries in memory that are not on disk: those being written, and those that must not be written.
        var memoryOnly: Set<CacheEntryID> = []
        var writes: [CacheEntryID: Task<Void, Never>] = [:]
        var nextCheck: Int64 = 0
    }

    package init(_ memory: MemoryCache, over disk: DiskCache) { (self.memory, self.disk) = (memory, disk) }

    package var commitsAtOnce: Bool { true }

    package nonisolated(nonsending) func variants(of key: CacheKey) async -> [CachedVariant] {
        let inMemory = memory.find(key)
        guard !inMemory.isEmpty else { return await load(key) }
        let now = disk.now()
        let isDue = state.withLock { state in
            // A clock that was set back must not stop the checks.
            guard now >= state.nextCheck || state.nextCheck - now > Self.unchecked else { return false }
            state.nextCheck = now + Self.unchecked
            return true
        }
        if isDue {
            await dropMissing()
            let left = memory.find(key)
            return left.isEmpty ? await load(key) : left
        }
        return inMemory
    }

    /// Loads the variants of a key from disk, and keeps them in memory if all are small.
    private nonisolated(nonsending) func load(_ key: CacheKey) async -> [CachedVariant] {
        let found = await disk.variants(of: key)
        // All or none, since memory is served in place of the disk.
        guard !found.isEmpty, found.allSatisfy({ if case .whole = $0.body { true } else { false } }) else {
            return found
        }
        for variant in found.reversed() { memory.add(variant) }
        return found
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
        state.withLock { _ = $0.memoryOnly.insert(id) }
        let isInMemory = await upper?.commit(head: head) != nil
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
            state.withLock { state in
                state.memoryOnly.remove(id)
                state.writes[id] = nil
            }
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
        return await disk.usage()
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
