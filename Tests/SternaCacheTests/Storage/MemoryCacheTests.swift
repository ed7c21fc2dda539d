import NIOCore
import SternaCore
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache storage: in memory")
struct MemoryCacheTests {
    static func key(_ text: String) -> CacheKey { CacheKey(request: Array(text.utf8), partition: []) }

    @discardableResult
    static func store(
        _ cache: any CacheStorage, _ key: String, variant: UInt64 = 0, head: String = "head", _ body: String,
        length: Int64? = nil
    ) async -> CacheEntryID? {
        let writer = await cache.store(Self.key(key), variant: variant, head: Bytes(text: head), length: length)
        for piece in body.split(separator: "|", omittingEmptySubsequences: true) {
            guard await writer?.append(Bytes(text: String(piece))) == true else { return nil }
        }
        return await writer?.commit(head: nil)
    }

    static func text(_ variant: CachedVariant?) async -> String? {
        guard let variant else { return nil }
        return await DiskCacheRun.read(variant.body)?.text
    }

    @Test("The partition of a key separates the requests of different identities")
    func keys() {
        let whole = CacheKey(request: Array("ab".utf8), partition: Array("c".utf8))
        expectEqual(whole, CacheKey(request: Array("ab".utf8), partition: Array("c".utf8)))
        #expect(whole != CacheKey(request: Array("b".utf8), partition: Array("ca".utf8)))
        #expect(whole != CacheKey(request: Array("abc".utf8), partition: []))
        #expect(whole != CacheKey(request: [], partition: Array("abc".utf8)))
    }

    @Test("An entry is found after its commit, and not before")
    func commits() async throws {
        let cache = MemoryCache(limits: CacheLimits(bytes: 1 << 20))
        let writer = try #require(await cache.store(Self.key("a"), variant: 1, head: Bytes(text: "h"), length: 4))
        #expect(await writer.append(Bytes(text: "ab")))
        #expect(await cache.variants(of: Self.key("a")).isEmpty)
        #expect(await writer.append(Bytes(text: "cd")))
        let id = try #require(await writer.commit(head: Bytes(text: "other")))
        let found = await cache.variants(of: Self.key("a"))
        #expect(found.map(\.id) == [id] && found.first?.head.text == "other" && found.first?.length == 4)
        await expectEqual(Self.text(found.first), "abcd")
        await expectNil(writer.commit(head: nil))
        #expect(await !writer.append(Bytes(text: "e")))
    }

    @Test("Bodies of a wrong length, oversized bodies and discarded ones are not stored")
    func incomplete() async throws {
        var limits = CacheLimits(bytes: 1 << 20)
        limits.entryBytes = 10
        let cache = MemoryCache(limits: limits)
        await expectNil(Self.store(cache, "a", "abc", length: 4))
        await expectNil(Self.store(cache, "a", "abc|de", length: 4))
        await expectNil(Self.store(cache, "a", "abc|defg"))
        await expectNil(cache.store(Self.key("a"), variant: 0, head: Bytes(text: "h"), length: 10))
        let writer = try #require(await cache.store(Self.key("a"), variant: 0, head: Bytes(), length: nil))
        writer.discard()
        await expectNil(writer.commit(head: nil))
        await expectEqual(cache.usage(), CacheUsage())
    }

    @Test("A variant replaces the same variant; others stay, up to a limit")
    func variants() async {
        var limits = CacheLimits(bytes: 1 << 20)
        limits.variants = 3
        let cache = MemoryCache(limits: limits)
        for (variant, body) in [(1, "a"), (2, "b"), (1, "c"), (3, "d"), (4, "e")] as [(UInt64, String)] {
            await Self.store(cache, "k", variant: variant, body)
        }
        var bodies: [String?] = []
        for variant in await cache.variants(of: Self.key("k")) { bodies.append(await Self.text(variant)) }
        expectEqual(bodies, ["e", "d", "c"])
        await expectEqual(cache.usage().entries, 3)
    }

    @Test("Heads are replaced; entries are removed by identifier, key and predicate")
    func changes() async throws {
        let cache = MemoryCache(limits: CacheLimits(bytes: 1 << 20))
        let first = try #require(await Self.store(cache, "a", variant: 1, "one"))
        let second = try #require(await Self.store(cache, "a", variant: 1, "two"))
        #expect(await !cache.update(first, head: Bytes(text: "x")))
        #expect(await cache.update(second, head: Bytes(text: "new")))
        await cache.remove(first)
        await expectEqual(cache.variants(of: Self.key("a")).map(\.head.text), ["new"])
        await Self.store(cache, "b", "three")
        await Self.store(cache, "c", "four")
        await cache.remove { $0.length == 5 }
        let lengths = await cache.list().map(\.length)
        expectEqual(lengths.sorted(), [3, 4])
        await cache.remove([Self.key("a")])
        #expect(await cache.variants(of: Self.key("a")).isEmpty)
        await expectEqual(cache.usage().entries, 1)
    }

    @Test("An entry that is being written when all are removed is discarded")
    func clears() async throws {
        let cache = MemoryCache(limits: CacheLimits(bytes: 1 << 20))
        let writer = try #require(await cache.store(Self.key("a"), variant: 0, head: Bytes(), length: nil))
        await cache.clear()
        await expectNil(writer.commit(head: nil))
        await expectEqual(cache.usage(), CacheUsage())
    }

    @Test("Memory use stays below the limit, also with slices of large buffers")
    func bounded() async {
        let cache = MemoryCache(limits: CacheLimits(bytes: 100_000))
        var large = Bytes()
        large.writeRepeatingByte(1, count: 64 << 10)
        for number in 0..<2_000 {
            let writer = await cache.store(Self.key("\(number)"), variant: 0, head: Bytes(text: "head"), length: 9)
            if let slice = large.getSlice(at: number, length: 9) { _ = await writer?.append(slice) }
            _ = await writer?.commit(head: nil)
            let usage = await cache.usage()
            guard usage.bytes <= 100_000 else {
                Issue.record("\(usage) after \(number)")
                return
            }
        }
        #expect(await cache.usage().entries > 100)
    }

    @Test("Entries beyond the maximum age are not found")
    func ages() async {
        let time = Mutex<Int64>(0)
        var limits = CacheLimits(bytes: 1 << 20)
        limits.age = 100
        let cache = MemoryCache(limits: limits) { time.withLock { $0 } }
        await Self.store(cache, "a", "one")
        time.withLock { $0 = 100 }
        await expectEqual(cache.variants(of: Self.key("a")).count, 1)
        time.withLock { $0 = 101 }
        #expect(await cache.variants(of: Self.key("a")).isEmpty)
        await expectEqual(cache.usage(), CacheUsage())
    }

    @Test("Concurrent tasks store, find and remove, and find only stored entries")
    func concurrent() async {
        let cache = MemoryCache(limits: CacheLimits(bytes: 60_000))
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(task))
                    for step in 0..<500 {
                        let key = Int.random(in: 0..<40, using: &random)
                        switch step % 5 {
                        case 0, 1: await Self.store(cache, "\(key)", head: "\(key)", "body| of |\(key)")
                        case 4 where step % 20 == 4: await cache.remove([Self.key("\(key)")])
                        default:
                            for variant in await cache.variants(of: Self.key("\(key)")) {
                                let text = await Self.text(variant)
                                #expect(text == "body of \(key)" && variant.head.text == "\(key)")
                                cache.noteUse(of: variant.id)
                            }
                        }
                    }
                }
            }
        }
        #expect(await cache.usage().bytes <= 60_000)
    }
}
