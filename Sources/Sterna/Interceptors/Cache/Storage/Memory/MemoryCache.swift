import NIOCore
package import SternaCore
import SternaPlatform
import Synchronization

/// A store of responses in memory, limited in bytes.
///
/// A hit shares the stored bytes without copying. A body in a much larger buffer is copied when it is stored, since a slice of a
/// network buffer keeps the whole buffer alive. The size of an entry is that of its buffers.
package final class MemoryCache: CacheStorage {
    /// The overhead of an entry in bytes.
    static let overhead: Int64 = 512

    package let limits: CacheLimits
    private let now: @Sendable () -> Int64
    private let state: Mutex<State>

    private struct Entry: Sendable {
        let id: CacheEntryID
        var head: CachedHead
        let body: Bytes
        let stored: Int64

        var size: Int64 {
            MemoryCache.overhead + Int64(head.bytes.storageCapacity) + Int64(body.storageCapacity)
        }
    }

    private struct State: ~Copyable {
        // The slots of a key's variants, the oldest first.
        var slots: [CacheKey: [Int]] = [:]
        var queue: S3FIFO<Entry>
        // Increases when all entries are removed, so that entries being written are discarded.
        var epoch = 0
    }

    /// Makes an empty store.
    ///
    /// - Parameter now: returns the time in milliseconds since 1970.
    package init(limits: CacheLimits, now: @escaping @Sendable () -> Int64 = CacheClock.now) {
        self.limits = limits
        self.now = now
        state = Mutex(State(queue: S3FIFO(capacity: limits.bytes, limit: limits.entries)))
    }

    package nonisolated(nonsending) func variants(of key: CacheKey) async -> [CachedVariant] { find(key) }

    /// Returns all variants stored for a key, the most recently stored first, without waiting.
    package func find(_ key: CacheKey) -> [CachedVariant] {
        state.withLock { state in
            guard let slots = state.slots[key] else { return [] }
            if slots.count == 1, limits.age == nil, let entry = state.queue[slots[0]] { return [Self.variant(entry)] }
            let oldest = limits.age.map { now().subtractingReportingOverflow($0).partialValue }
            return slots.reversed().compactMap { slot in
                guard let entry = state.queue[slot] else { return nil }
                if let oldest, entry.stored < oldest {
                    Self.drop(slot, &state)
                    return nil
                }
                return Self.variant(entry)
            }
        }
    }

    private static func variant(_ entry: Entry) -> CachedVariant {
        CachedVariant(id: entry.id, known: entry.head, body: .whole(entry.body), stored: entry.stored)
    }

    package func noteUse(of id: CacheEntryID) {
        state.withLock { state in
            if let slot = Self.slot(of: id, state) { state.queue.use(slot) }
        }
    }

    package nonisolated(nonsending) func store(
        _ key: CacheKey, variant: UInt64, head: Bytes, length: Int64?, isInMemoryOnly: Bool
    ) async -> (any CacheWriter)? {
        writer(CacheEntryID(key: key, variant: variant, nonce: .random(in: 0 ... .max)), head: head, length: length)
    }

    /// Begins an entry with a given identifier; nil if it cannot be stored.
    func writer(_ id: CacheEntryID, head: Bytes, length: Int64?) -> MemoryCacheWriter? {
        guard limits.admits(head: head.readableBytes, length: length ?? 0) else { return nil }
        return MemoryCacheWriter(self, id, head, length, epoch: state.withLock { $0.epoch })
    }

    /// Adds an entry of another store.
    func add(_ variant: CachedVariant) {
        guard case .whole(let body) = variant.body else { return }
        let epoch = state.withLock { $0.epoch }
        _ = commit(variant.id, head: variant.head, body: body, epoch: epoch, stored: variant.stored)
    }

    /// The identifiers of all entries.
    var ids: [CacheEntryID] { state.withLock { state in state.queue.order.map(\.element.id) } }

    package var commitsAtOnce: Bool { true }

    /// Makes an entry visible. Returns false if it has no room, or all entries were removed since it began.
    func commit(_ id: CacheEntryID, head: Bytes, body: Bytes, epoch: Int, stored: Int64? = nil) -> Bool {
        let entry = Entry(id: id, head: CachedHead(head.exactly), body: body.exactly, stored: stored ?? now())
        guard limits.admits(head: head.readableBytes, length: Int64(body.readableBytes)), entry.size <= limits.bytes
        else { return false }
        return state.withLock { state in
            guard state.epoch == epoch else { return false }
            for slot in state.slots[id.key] ?? [] where state.queue[slot]?.id.variant == id.variant {
                Self.drop(slot, &state)
            }
            while let slots = state.slots[id.key], slots.count >= max(1, limits.variants), let oldest = slots.first {
                Self.drop(oldest, &state)
            }
            let slot = state.queue.insert(entry, fingerprint: id.fingerprint, size: entry.size)
            state.slots[id.key, default: []].append(slot)
            Self.evict(&state)
            return state.queue[slot]?.id == id
        }
    }

    package nonisolated(nonsending) func update(_ id: CacheEntryID, head: Bytes) async -> Bool {
        guard head.readableBytes <= limits.headBytes else { return false }
        let head = CachedHead(head.exactly)
        return state.withLock { state in
            guard let slot = Self.slot(of: id, state), var entry = state.queue[slot],
                limits.admits(head: head.bytes.readableBytes, length: Int64(entry.body.readableBytes))
            else { return false }
            entry.head = head
            state.queue[slot] = entry
            state.queue.resize(slot, to: entry.size)
            Self.evict(&state)
            return state.queue[slot]?.id == id
        }
    }

    package nonisolated(nonsending) func remove(_ id: CacheEntryID) async {
        state.withLock { state in
            if let slot = Self.slot(of: id, state) { Self.drop(slot, &state) }
        }
    }

    package nonisolated(nonsending) func remove(_ keys: [CacheKey]) async {
        state.withLock { state in
            for key in keys {
                for slot in state.slots.removeValue(forKey: key) ?? [] { state.queue.remove(slot) }
            }
        }
    }

    package nonisolated(nonsending) func remove(where matches: @Sendable (CacheListing) -> Bool) async {
        // The predicate is the caller's, so it runs without the lock.
        for listing in listings() where matches(listing) { await remove(listing.id) }
    }

    package nonisolated(nonsending) func list() async -> [CacheListing] { listings() }

    private func listings() -> [CacheListing] {
        state.withLock { state in
            state.queue.order.map {
                CacheListing(
                    id: $0.element.id, head: $0.element.head.bytes, length: Int64($0.element.body.readableBytes),
                    stored: $0.element.stored)
            }
        }
    }

    package nonisolated(nonsending) func usage() async -> CacheUsage {
        state.withLock { CacheUsage(entries: $0.queue.count, bytes: $0.queue.size) }
    }

    package nonisolated(nonsending) func clear() async {
        state.withLock { state in
            state.slots = [:]
            state.queue = S3FIFO(capacity: limits.bytes, limit: limits.entries)
            state.epoch += 1
        }
    }

    package nonisolated(nonsending) func sync() async {}

    // MARK: Under the lock

    private static func slot(of id: CacheEntryID, _ state: borrowing State) -> Int? {
        state.slots[id.key]?.first { state.queue[$0]?.id == id }
    }

    private static func drop(_ slot: Int, _ state: inout State) {
        guard let entry = state.queue.remove(slot) else { return }
        forget(slot, entry.id.key, &state)
    }

    private static func forget(_ slot: Int, _ key: CacheKey, _ state: inout State) {
        state.slots[key]?.removeAll { $0 == slot }
        if state.slots[key]?.isEmpty == true { state.slots[key] = nil }
    }

    private static func evict(_ state: inout State) {
        while let entry = state.queue.evict() {
            // The evicted element has left its slot.
            state.slots[entry.id.key]?.removeAll { state.queue[$0] == nil }
            if state.slots[entry.id.key]?.isEmpty == true { state.slots[entry.id.key] = nil }
        }
    }
}

/// The clock that entries are stamped with.
package enum CacheClock {
    /// Returns the system's time in milliseconds since 1970.
    @Sendable package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}

extension Bytes {
    /// The readable bytes in a buffer of about their size; the same buffer if it is only a little larger.
    var exactly: Bytes {
        storageCapacity - readableBytes <= max(512, readableBytes / 8) ? self : Bytes(buffer: self)
    }
}
