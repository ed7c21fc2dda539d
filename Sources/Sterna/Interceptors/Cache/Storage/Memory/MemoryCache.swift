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
        // The keys with slots of which a store below may have further variants.
        var partial: Set<CacheKey> = []
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
    package func find(_ key: CacheKey) -> [CachedVariant] { lookUp(key).variants }

    /// Returns all variants stored for a key, like ``find(_:)``, and whether a store below has no others; false without variants.
    func lookUp(_ key: CacheKey) -> (variants: [CachedVariant], isWhole: Bool) {
        state.withLock { state in
            guard let slots = state.slots[key] else { return ([], false) }
            let isWhole = state.partial.isEmpty || !state.partial.contains(key)
            if slots.count == 1, limits.age == nil, let entry = state.queue[slots[0]] {
                return ([Self.variant(entry)], isWhole)
            }
            let oldest = limits.age.map { now().subtractingReportingOverflow($0).partialValue }
            let found = slots.reversed().compactMap { slot -> CachedVariant? in
                guard let entry = state.queue[slot] else { return nil }
                if let oldest, entry.stored < oldest {
                    Self.drop(slot, &state)
                    return nil
                }
                return Self.variant(entry)
            }
            return (found, isWhole && !found.isEmpty)
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

    /// Adds entries of the store below, unless newer ones are here, and records whether all variants of the key are here now.
    ///
    /// - Parameters:
    ///   - known: the entries that were here.
    ///   - further: the other entries of the store below, the most recently stored first.
    func complete(_ key: CacheKey, _ known: [CachedVariant], adding further: [CachedVariant]) {
        for variant in further.reversed() {
            guard case .whole(let body) = variant.body else { return }
            let epoch = state.withLock { $0.epoch }
            _ = commit(
                variant.id, head: variant.head, body: body, epoch: epoch, isPartial: true, storedBelow: variant.stored)
        }
        state.withLock { state in
            // An entry may be too large for memory, or evicted by now.
            let present = (state.slots[key] ?? []).compactMap { state.queue[$0]?.id.variant }
            if (known + further).allSatisfy({ present.contains($0.id.variant) }) { state.partial.remove(key) }
        }
    }

    /// Records that the store below may have variants of a key that are not here.
    func markPartial(_ key: CacheKey) {
        state.withLock { state in
            if state.slots[key] != nil { state.partial.insert(key) }
        }
    }

    /// Returns whether an entry is here.
    func contains(_ id: CacheEntryID) -> Bool { state.withLock { Self.slot(of: id, $0) != nil } }

    /// The identifiers of all entries.
    var ids: [CacheEntryID] { state.withLock { state in state.queue.order.map(\.element.id) } }

    package var commitsAtOnce: Bool { true }

    /// Makes an entry visible. Returns false if it has no room, or all entries were removed since it began.
    ///
    /// - Parameters:
    ///   - isPartial: whether the store below may have variants of the key that are not here, if this entry is the first one here.
    ///   - storedBelow: when the store below has stored the entry, which then does not replace one that is here; nil for a new
    ///     entry.
    func commit(
        _ id: CacheEntryID, head: Bytes, body: Bytes, epoch: Int, isPartial: Bool = false, storedBelow: Int64? = nil
    ) -> Bool {
        let entry = Entry(id: id, head: CachedHead(head.exactly), body: body.exactly, stored: storedBelow ?? now())
        guard limits.admits(head: head.readableBytes, length: Int64(body.readableBytes)), entry.size <= limits.bytes
        else { return false }
        return state.withLock { state in
            guard state.epoch == epoch else { return false }
            var isPartial = state.slots[id.key] == nil ? isPartial : state.partial.contains(id.key)
            for slot in state.slots[id.key] ?? [] where state.queue[slot]?.id.variant == id.variant {
                guard storedBelow == nil else { return false }
                Self.drop(slot, &state)
            }
            while let slots = state.slots[id.key], slots.count >= max(1, limits.variants), let oldest = slots.first {
                Self.drop(oldest, &state)
                isPartial = true
            }
            let slot = state.queue.insert(entry, fingerprint: id.fingerprint, size: entry.size)
            var slots = state.slots.removeValue(forKey: id.key) ?? []
            let newer = storedBelow.flatMap { stored in
                slots.firstIndex { state.queue[$0].map { $0.stored > stored } ?? false }
            }
            slots.insert(slot, at: newer ?? slots.count)
            state.slots[id.key] = slots
            if isPartial { state.partial.insert(id.key) }
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
                state.partial.remove(key)
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

    /// Returns the number and size of those of the given entries that are here.
    func usage(of ids: Set<CacheEntryID>) -> CacheUsage {
        state.withLock { state in
            var usage = CacheUsage()
            for id in ids {
                guard let slot = Self.slot(of: id, state), let entry = state.queue[slot] else { continue }
                usage.entries += 1
                usage.bytes += entry.size
            }
            return usage
        }
    }

    package nonisolated(nonsending) func clear() async {
        state.withLock { state in
            state.slots = [:]
            state.partial = []
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
        forgetIfEmpty(key, &state)
    }

    private static func forgetIfEmpty(_ key: CacheKey, _ state: inout State) {
        guard state.slots[key]?.isEmpty == true else { return }
        state.slots[key] = nil
        state.partial.remove(key)
    }

    private static func evict(_ state: inout State) {
        while let entry = state.queue.evict() {
            // The evicted element has left its slot.
            state.slots[entry.id.key]?.removeAll { state.queue[$0] == nil }
            if state.slots[entry.id.key]?.isEmpty == false { state.partial.insert(entry.id.key) }
            forgetIfEmpty(entry.id.key, &state)
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
