import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Attacks on the cache's rules and its store, by servers and callers.
@Suite("Cache: attacks")
struct CacheAttackTests {
    private typealias Scene = CacheRuleScene

    // MARK: Identities

    @Test("A private response is not stored by a shared cache, and not served to others by a private one")
    func privateResponse() throws {
        let lines = [
            "private", "PRIVATE", "private, public", "public;private", "private=\"\"", "max-age=9, private=x y",
        ]
        for line in lines {
            let response = Scene.response(["Cache-Control: \(line)"])
            expectEqual(Scene.mayStore(Scene.request(), response, settings: Scene.shared), "isPrivate", "\(line)")
            guard case .store(let plan) = CacheRule.mayStore(Scene.request(), response) else {
                Issue.record("\(line) is not stored")
                continue
            }
            #expect(!plan.isForEveryone, "\(line)")
        }
    }

    @Test("An authorized response is served to its identity only, unless it is public")
    func authorizedResponse() throws {
        let request = Scene.request(["Authorization: Bearer a"])
        for line in ["max-age=100", "max-age=100, public=1", "max-age=100; public", "x-public", "\"public\""] {
            let response = Scene.response(["Cache-Control: \(line)"])
            expectEqual(Scene.mayStore(request, response, settings: Scene.shared), "authorization", "\(line)")
            if case .store(let plan) = CacheRule.mayStore(request, response) { #expect(!plan.isForEveryone, "\(line)") }
        }
        // Identities have keys of their own, on disk, too, and no text of a request can imitate another key.
        let partitions = [
            CachePartition.everyone, CachePartition([1]), CachePartition([1, 0]), CachePartition(Array("GET ".utf8)),
        ]
        var keys: Set<CacheKey> = []
        for partition in partitions {
            let key = CacheRequestKey(.get, Scene.url(), partition: partition)
            keys.insert(CacheKey(request: key.text.utf8, partition: partition.bytes))
        }
        expectEqual(keys.count, partitions.count)
    }

    @Test("A response for one field value is not served for another, a repeated or an absent one")
    func varyMismatch() throws {
        let lines = [
            "Cache-Control: max-age=100, stale-while-revalidate=100, stale-if-error=100",
            "Vary: Cookie, Accept-Language",
        ]
        let own = ["Cookie: id=1", "Accept-Language: de"]
        let key = try #require(
            VaryKey(Vary(Scene.fields(lines)), request: Scene.fields(own), secrets: VarySecrets()))
        let stored = [Scene.stored(lines, variant: key)]
        func decide(_ lines: [String], after seconds: Int64, _ policy: CachePolicy = .protocolRules) -> String {
            Scene.text(
                CacheRule.decide(Scene.request(lines), stored: stored, policy: policy, now: Scene.made + seconds))
        }
        expectEqual(decide(own, after: 0), "serve")
        let others = [
            [], ["Cookie: id=2", own[1]], ["Cookie: id=1", "Cookie: id=1", own[1]], ["Cookie: ID=1", own[1]], [own[1]],
            ["Cookie: ", own[1]], ["Cookie: id=1;", own[1]], [own[0]], [own[0], "Accept-Language: de, en"],
        ]
        for other in others {
            for seconds in [0, 150, 9_999] as [Int64] {
                expectEqual(decide(other, after: seconds), "forward vary", "\(other)")
                expectEqual(decide(other, after: seconds, .cachedElseLoad), "forward vary", "\(other)")
                expectEqual(decide(other, after: seconds, .cachedOnly), "504 vary", "\(other)")
                let served = CacheRule.responseAfterFailure(
                    status: nil, Scene.request(other), stored: stored, policy: CachePolicy(fallsBackToStored: true),
                    now: Scene.made + seconds)
                expectNil(served, "\(other)")
            }
        }
    }

    // MARK: Lengths

    @Test("A 304 with another length, coding or range does not change the stored body")
    func changedLength() throws {
        let stored = Scene.stored(
            ["ETag: \"v\"", "Content-Length: 100", "Content-Encoding: gzip"], extent: .whole(100))
        for length in ["0", "5", "101", "99999999999999999999", "x", "-1"] {
            let response = Scene.response(
                ["ETag: \"v\"", "Content-Length: \(length)", "Content-Encoding: br", "Content-Range: bytes 0-4/5"],
                status: 304)
            let outcome = CacheRule.judge(
                response, to: Scene.request(), validation: CacheValidation(index: 0, fields: [:]), stored: [stored])
            guard case .current(0, let updates, true) = outcome, let new = updates.first?.response else {
                Issue.record("\(length): \(outcome)")
                continue
            }
            expectEqual(new.extent, .whole(100))
            let served = CacheFields.served(
                new, as: ServedResponse(index: 0, content: .whole, age: 0, timeLeft: 1))
            #expect(served.status == 200 && served.fields[values: .contentLength] == ["100"])
            #expect(served.fields[.contentEncoding] == "gzip" && !served.fields.contains(.contentRange))
        }
    }

    @Test(
        "A stored Content-Length that is wrong is not served, and a body of another length is not stored",
        arguments: [true, false])
    func wrongLength(isOnDisk: Bool) async throws {
        for length in ["5", "0", "99999999"] {
            let stored = Scene.stored(["Content-Length: \(length)"], extent: .whole(100))
            for content in [ServedResponse.Content.whole, .head] {
                let served = CacheFields.served(
                    stored, as: ServedResponse(index: 0, content: content, age: 0, timeLeft: 1))
                expectEqual(served.fields[values: .contentLength], ["100"])
            }
        }
        for lines in [["5x"], ["+5"], ["5, 5"], ["5", "6"], ["0x5"], [""], ["99999999999999999999"]] {
            let response = Scene.response(lines.map { "Content-Length: \($0)" })
            expectEqual(Scene.mayStore(Scene.request(), response), "contentLength", "\(lines)")
        }
        let folder = CacheTestFolder()
        let cache: any CacheStorage = isOnDisk ? folder.open() : MemoryCache(limits: CacheLimits(bytes: 1 << 20))
        for (stated, sent) in [(5, 4), (5, 6), (0, 1), (300_000, 299_999), (300_000, 300_001)] {
            let key = MemoryCacheTests.key("a")
            let writer = await cache.store(key, variant: 0, head: Bytes(text: "head"), length: Int64(stated))
            _ = await writer?.append(DiskCacheTests.large(sent))
            await expectNil(writer?.commit(head: nil), "\(sent) of \(stated)")
            #expect(await cache.variants(of: key).isEmpty)
        }
        await expectEqual(cache.usage(), CacheUsage())
    }

    // MARK: Bombs

    @Test("A decompression bomb is stored and read in its coded form", arguments: [true, false])
    func bomb(isOnDisk: Bool) async throws {
        // The decoded form is a thousand times as long.
        let bomb = Zlib.deflate([UInt8](repeating: 0, count: 16 << 20), .gzip)
        let folder = CacheTestFolder()
        let cache: any CacheStorage = isOnDisk ? folder.open(bytes: 1 << 20) : MemoryCache(limits: Self.limits)
        let key = MemoryCacheTests.key("bomb")
        let writer = try #require(
            await cache.store(key, variant: 0, head: Bytes(text: "Content-Encoding: gzip"), length: Int64(bomb.count)))
        #expect(await writer.append(Bytes(bytes: bomb)))
        #expect(await writer.commit(head: nil) != nil)
        let usage = await cache.usage()
        #expect(usage.bytes >= Int64(bomb.count) && usage.bytes < Int64(bomb.count) + 16 << 10)
        let found = try #require(await cache.variants(of: key).first)
        expectEqual(found.length, Int64(bomb.count))
        await expectEqual(DiskCacheRun.read(found.body), Bytes(bytes: bomb))
    }

    private static var limits: CacheLimits {
        var limits = CacheLimits(bytes: 1 << 20)
        limits.entryBytes = 1 << 20
        return limits
    }

    // MARK: Paths

    @Test("No key leads out of the folder: file names are hashes and random numbers")
    func pathTraversal() async throws {
        let folder = CacheTestFolder()
        let cache = folder.open()
        let texts = [
            "../../../../etc/passwd", "GET https://a.test/%2e%2e/%2e%2e/x", "/etc/passwd", "", ".", "..", "a/b",
            "a\u{0}b",
            "\\..\\x", "journal-1", "x.part", "x.lock", String(repeating: "x", count: 100_000), "\u{202E}\n",
        ]
        for text in texts {
            let head = Bytes(text: "head of \(text.utf8.count)")
            let writer = await cache.store(MemoryCacheTests.key(text), variant: .max, head: head, length: nil)
            _ = await writer?.append(Bytes(text: text))
            #expect(await writer?.commit(head: nil) != nil)
            let found = await cache.variants(of: MemoryCacheTests.key(text))
            expectEqual(found.map(\.head), [head])
            await expectEqual(MemoryCacheTests.text(found.first), text)
        }
        #expect(folder.names.count == texts.count && folder.names.allSatisfy(EntryHeader.isFileName))
        let inside = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        expectEqual(Set(inside), ["entries-1", "journal-1", "journal-1.lock"])
        for text in texts { await cache.remove([MemoryCacheTests.key(text)]) }
        #expect(folder.names.isEmpty)
    }

    @Test("A link in place of the folder of entries is not followed")
    func linkedFolder() async throws {
        let (folder, elsewhere) = (CacheTestFolder(), CacheTestFolder())
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: elsewhere.path, withIntermediateDirectories: true)
        expectEqual(symlink(elsewhere.path, folder.entries), 0)
        let cache = folder.open()
        await expectNil(DiskCacheTests.store(cache, "a", DiskCacheTests.large(10)))
        #expect(await cache.variants(of: MemoryCacheTests.key("a")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty)
    }
}
