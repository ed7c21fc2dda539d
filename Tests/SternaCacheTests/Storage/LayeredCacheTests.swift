import NIOCore
import SternaCore
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: memory over disk")
struct LayeredCacheTests {
    private typealias Memory = MemoryCacheTests

    private final class Time: Sendable {
        let now = Mutex<Int64>(1_000_000)
    }

    private static func cache(
        _ folder: CacheTestFolder, memory: Int64 = 1 << 20, bytes: Int64 = 64 << 20, time: Time = Time()
    ) -> LayeredCache { stores(folder, memory: memory, bytes: bytes, time: time).both }

    private static func stores(
        _ folder: CacheTestFolder, memory: Int64, bytes: Int64 = 64 << 20, time: Time
    ) -> (memory: MemoryCache, both: LayeredCache) {
        let clock = { @Sendable in time.now.withLock { $0 } }
        var limits = CacheLimits(bytes: bytes)
        limits.entryBytes = bytes
        // A busy machine's disk is slow, which is not the subject.
        limits.patience = .seconds(60)
        let upper = MemoryCache(limits: CacheLimits(bytes: memory), now: clock)
        let lower = DiskCache(folder: folder.path, limits: limits, isTidying: false, now: clock)
        return (upper, LayeredCache(upper, over: lower))
    }

    @discardableResult
    private static func store(
        _ cache: LayeredCache, _ key: String, _ text: String, variant: UInt64 = 0, inMemoryOnly: Bool = false
    ) async throws -> CacheEntryID? {
        let writer = try #require(
            await cache.store(
                Memory.key(key), variant: variant, head: Bytes(text: "head"), length: nil, isInMemoryOnly: inMemoryOnly)
        )
        #expect(await writer.append(Bytes(text: text)))
        return await writer.commit(head: nil)
    }

    private static func text(_ cache: LayeredCache, _ key: String) async throws -> String? {
        guard let found = await cache.variants(of: Memory.key(key)).first else { return nil }
        return try await StoredBody.collect(found.body).text
    }

    @Test("A stored entry is found at once, and by the next process in the folder")
    func both() async throws {
        let folder = CacheTestFolder()
        let first = Self.cache(folder)
        let id = try await Self.store(first, "a", "body")
        try await expectEqual(Self.text(first, "a"), "body")
        await first.sync()
        let second = Self.cache(folder)
        let found = await second.variants(of: Memory.key("a"))
        #expect(found.map(\.id) == [id] && found.first?.head.text == "head")
        // From memory now, by the same identifier.
        await expectEqual(second.variants(of: Memory.key("a")).map(\.id), [id])
        await expectEqual(second.usage().entries, 1)
    }

    @Test("An entry that one process removes leaves the memory of another within a second")
    func otherProcess() async throws {
        let folder = CacheTestFolder()
        let time = Time()
        let (first, second) = (Self.cache(folder, time: time), Self.cache(folder, time: time))
        let id = try #require(try await Self.store(first, "a", "body"))
        await first.sync()
        for cache in [first, second] { try await expectEqual(Self.text(cache, "a"), "body") }
        await second.remove(id)
        time.now.withLock { $0 += LayeredCache.unchecked }
        try await expectNil(Self.text(first, "a"))
    }

    @Test("An entry for memory only stays there, and is not written to the folder")
    func memoryOnly() async throws {
        let folder = CacheTestFolder()
        let time = Time()
        let cache = Self.cache(folder, time: time)
        try await Self.store(cache, "a", "body", inMemoryOnly: true)
        time.now.withLock { $0 += 10 * LayeredCache.unchecked }
        try await expectEqual(Self.text(cache, "a"), "body")
        #expect(folder.names.isEmpty)
        await cache.clear()
        try await expectNil(Self.text(cache, "a"))
    }

    @Test("A body that is too large for memory is only on disk, and replaces the entry in memory")
    func large() async throws {
        let folder = CacheTestFolder()
        let cache = Self.cache(folder, memory: 64 << 10)
        try await Self.store(cache, "a", "small")
        try await Self.store(cache, "a", String(repeating: "x", count: 1 << 20))
        try await expectEqual(Self.text(cache, "a")?.utf8.count, 1 << 20)
        await cache.remove(Memory.key("a"))
        try await expectNil(Self.text(cache, "a"))
    }

    private static func numbers(_ cache: LayeredCache, _ key: String) async -> [UInt64] {
        await cache.variants(of: Memory.key(key)).map(\.id.variant)
    }

    @Test("A variant that is too large for memory is found next to a small one", arguments: [[1, 2], [2, 1]])
    func largeVariant(order: [UInt64]) async throws {
        let (folder, time) = (CacheTestFolder(), Time())
        let (memory, cache) = Self.stores(folder, memory: 64 << 10, time: time)
        for looksUp in [false, true] {
            let key = "\(looksUp)"
            for variant in order {
                // Requests look up what is stored before they store a response.
                if looksUp { _ = await cache.variants(of: Memory.key(key)) }
                time.now.withLock { $0 += 1 }
                let text = variant == 1 ? String(repeating: "x", count: 1 << 20) : "small"
                try await Self.store(cache, key, text, variant: variant)
            }
            for _ in 0..<2 { await expectEqual(Self.numbers(cache, key), order.reversed()) }
            expectEqual(memory.find(Memory.key(key)).map(\.id.variant), [2])
        }
    }

    @Test("A variant that memory has evicted is found next to one that it has, and returns to it")
    func evictedVariant() async throws {
        let (folder, time) = (CacheTestFolder(), Time())
        let (memory, cache) = Self.stores(folder, memory: 64 << 10, time: time)
        for variant in 1...2 as ClosedRange<UInt64> {
            time.now.withLock { $0 += 1 }
            let id = try #require(try await Self.store(cache, "a", "small", variant: variant))
            if variant == 2 { cache.noteUse(of: id) }
        }
        for number in 0..<20 { try await Self.store(cache, "\(number)", String(repeating: "x", count: 4 << 10)) }
        await cache.sync()
        expectEqual(memory.find(Memory.key("a")).map(\.id.variant), [2])
        await expectEqual(Self.numbers(cache, "a"), [2, 1])
        expectEqual(memory.find(Memory.key("a")).map(\.id.variant), [2, 1])
    }

    @Test("Memory is served without the disk if it has all variants: those stored after an empty look-up, or loaded")
    func wholeInMemory() async throws {
        let (folder, time) = (CacheTestFolder(), Time())
        let (memory, cache) = Self.stores(folder, memory: 1 << 20, time: time)
        await expectEqual(Self.numbers(cache, "a"), [])
        for variant in 1...2 as ClosedRange<UInt64> { try await Self.store(cache, "a", "small", variant: variant) }
        #expect(memory.lookUp(Memory.key("a")).isWhole)
        await cache.sync()
        #expect(memory.lookUp(Memory.key("a")).isWhole)
        let (loaded, other) = Self.stores(folder, memory: 1 << 20, time: time)
        await expectEqual(Self.numbers(other, "a").count, 2)
        #expect(loaded.lookUp(Memory.key("a")).isWhole)
    }

    @Test("The usage counts what is only in memory, too, as the list does")
    func usage() async throws {
        let folder = CacheTestFolder()
        let cache = Self.cache(folder)
        try await Self.store(cache, "a", "body")
        await cache.sync()
        let onDisk = await cache.usage()
        try await Self.store(cache, "b", "body", inMemoryOnly: true)
        let all = await cache.usage()
        await expectEqual(all.entries, cache.list().count)
        #expect(all.entries == 2 && all.bytes > onDisk.bytes)
    }

    @Test("Updates and removals reach both stores, even while an entry is being written")
    func changes() async throws {
        let folder = CacheTestFolder()
        let cache = Self.cache(folder)
        for number in 0..<20 {
            let id = try #require(try await Self.store(cache, "\(number)", "body"))
            if number % 2 == 0 {
                #expect(await cache.update(id, head: Bytes(text: "new")))
            } else {
                await cache.remove(id)
            }
        }
        await cache.sync()
        for other in [cache, Self.cache(folder)] {
            for number in 0..<20 {
                let heads = await other.variants(of: Memory.key("\(number)")).map(\.head.text)
                expectEqual(heads, (number % 2 == 0 ? ["new"] : []))
            }
        }
    }

    @Test("If the disk cannot be written, no entry is kept")
    func noDisk() async throws {
        let cache = LayeredCache(
            MemoryCache(limits: CacheLimits(bytes: 1 << 20)),
            over: DiskCache(folder: "/dev/null/cache", limits: CacheLimits(bytes: 1 << 20)))
        try await Self.store(cache, "a", "body")
        await cache.sync()
        try await expectNil(Self.text(cache, "a"))
    }
}
