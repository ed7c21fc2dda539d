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
    ) -> LayeredCache {
        let clock = { @Sendable in time.now.withLock { $0 } }
        var limits = CacheLimits(bytes: bytes)
        limits.entryBytes = bytes
        // A busy machine's disk is slow, which is not the subject.
        limits.patience = .seconds(60)
        return LayeredCache(
            MemoryCache(limits: CacheLimits(bytes: memory), now: clock),
            over: DiskCache(folder: folder.path, limits: limits, isTidying: false, now: clock))
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
