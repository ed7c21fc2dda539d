import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: bodies")
struct CacheBodyTests {
    /// A body in pieces, which may fail.
    final class Pieces: BodyStream {
        private let left: Mutex<Int>
        let size: Int
        let fails: Bool

        init(_ count: Int, of size: Int, fails: Bool = false) {
            left = Mutex(count)
            (self.size, self.fails) = (size, fails)
        }

        func next() async throws -> Bytes? {
            let number = left.withLock { left in
                left -= 1
                return left
            }
            if number < 0 {
                if fails { throw SternaError(.truncated, phase: .read, "It broke off.") }
                return nil
            }
            return Bytes(repeating: UInt8(truncatingIfNeeded: number), count: size)
        }

        func cancel() { left.withLock { $0 = 0 } }
        var length: Int64? { nil }
        var trailers: HTTPFields? { nil }
    }

    private static func answer(_ body: any BodyStream) -> ServerResponse {
        .init(status: 200, headers: ["Cache-Control": "max-age=60"], body: ResponseBody(body))
    }

    @Test("A streamed body is stored while it is read", arguments: [true, false])
    func streamed(isOnDisk: Bool) async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: isOnDisk ? folder.path : nil, bytes: 64 << 20) { _ in
            Self.answer(Pieces(40, of: 100_000))
        }
        let whole = try await scene.api.get("a").body
        await scene.cache.sync()
        let again = try await scene.api.get("a")
        #expect(again.response.source == .cache && again.body == whole && whole.count == 4_000_000)
        expectEqual(again.headers[.contentLength], "4000000")
        try await scene.api.withResponse(to: .get("a")) { response in
            var count = 0
            for try await piece in response.body { count += piece.count }
            #expect(count == 4_000_000 && response.source == .cache)
        }
    }

    @Test("A body that breaks off, or is not read to its end, is not stored", arguments: [true, false])
    func aborted(isOnDisk: Bool) async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: isOnDisk ? folder.path : nil, bytes: 64 << 20) { request in
            Self.answer(Pieces(40, of: 100_000, fails: request.url.path == "/broken"))
        }
        _ = try? await scene.api.get("broken")
        try await scene.api.withResponse(to: .get("left")) { response in
            for try await _ in response.body { break }
        }
        try await scene.api.withResponse(to: .get("cancelled")) { response in
            for try await _ in response.body { break }
            response.body.cancel()
        }
        await scene.cache.sync()
        await expectEqual(scene.cache.usage().entries, 0)
        // A thread may still write the piece after which it checks whether the entry was discarded.
        if isOnDisk { #expect(await eventually { folder.names.isEmpty }, "\(folder.names)") }
    }

    @Test("A body that is too large is delivered, but not stored", arguments: [true, false])
    func oversized(isOnDisk: Bool) async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: isOnDisk ? folder.path : nil, bytes: 1 << 20) { _ in
            Self.answer(Pieces(40, of: 100_000))
        }
        try await expectEqual(scene.api.get("a").body.count, 4_000_000)
        await scene.cache.sync()
        await expectEqual(scene.cache.usage().entries, 0)
    }

    @Test("A response that is too large for the cache removes the one that it replaces", arguments: [false, true])
    func tooLong(isStreamed: Bool) async throws {
        let numbers = Numbers()
        let scene = try CacheScene(bytes: 80_000) { _ in
            let size = numbers.next == 1 ? 100 : 20_000
            guard !isStreamed else { return Self.answer(Pieces(2, of: size / 2)) }
            return .init(
                status: 200, headers: ["Cache-Control": "max-age=60"],
                body: ResponseBody(Bytes(repeating: 0x61, count: size)))
        }
        for _ in 0..<2 { try await expectEqual(scene.api.get("a").body.count, 100) }
        expectEqual(scene.sent, 1)
        let long = try await scene.api.get("a") { $0.cache.policy = .reload }
        expectEqual(long.body.count, 20_000)
        if !isStreamed { expectEqual(long.headers["Cache-Status"]?.contains("not stored: the cache refused it"), true) }
        // The previously stored response must not be the newest known.
        let next = try await scene.api.get("a")
        #expect(next.body.count == 20_000 && next.source == .network)
    }

    @Test("Content is stored with its coding, and decoded within the limits each time")
    func coded() async throws {
        let deflated = Zlib.gzip(String(repeating: "A", count: 100_000))
        let scene = try CacheScene { _ in
            .init(
                status: 200, headers: ["Cache-Control": "max-age=60", "Content-Encoding": "gzip"],
                body: ResponseBody(Bytes(bytes: deflated)))
        }
        for _ in 0..<2 { try await expectEqual(scene.api.get("a").body.count, 100_000) }
        expectEqual(scene.sent, 1)
        let entry = try #require(await scene.cache.entries().first)
        #expect(entry.length == Int64(deflated.count) && entry.headers[.contentEncoding] == "gzip")
        let stored = try #require(try await scene.cache.response(of: entry))
        #expect(stored.headers[.contentEncoding] == nil && stored.source == .cache)
        try await expectEqual(stored.body.collect(upTo: 200_000).readableBytes, 100_000)
        // A decompression bomb from the cache must be refused, too.
        let careful = scene.api.with { $0.limits.decompression.bytes = 1_000 }
        let error = await #expect(throws: SternaError.self) { try await careful.get("a") }
        #expect(error?.kind == .limitExceeded || error?.kind == .contentCodingFailed)
        expectEqual(scene.sent, 1)
        await scene.cache.removeAll()
        try await expectNil(scene.cache.response(of: entry)?.status)
    }

    @Test("A wrong Content-Length prevents storing; a repeated one does not")
    func contentLength() async throws {
        let scene = try CacheScene { request in
            .init(
                status: 200,
                headers: ["Cache-Control": "max-age=60", "Content-Length": request.url.path == "/right" ? "4" : "9"],
                body: ResponseBody(Bytes(text: "body")))
        }
        for path in ["right", "wrong"] { _ = try await scene.api.get(path) }
        try await expectEqual(scene.api.get("right").response.source, .cache)
        try await expectEqual(scene.api.get("wrong").response.source, .network)
    }

    @Test("Parts are stored, combined and served")
    func parts() async throws {
        let whole = Array((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let scene = try CacheScene { request in
            let range = try #require(RangeRequest(request.headers)?.range(of: 1_000))
            return .init(
                status: 206,
                headers: [
                    "Cache-Control": "max-age=60", "ETag": "\"1\"",
                    "Content-Range": ContentRange.part(range, length: 1_000).fieldValue,
                ], body: ResponseBody(Bytes(bytes: whole[Int(range.lowerBound)..<Int(range.upperBound)])))
        }
        func part(_ range: Range<Int>) async throws -> ResponseSource {
            let reply = try await scene.api.get(
                "a", headers: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
            #expect(reply.status == 206 && reply.body.array == Array(whole[range]))
            expectEqual(reply.headers[.contentRange], "bytes \(range.lowerBound)-\(range.upperBound - 1)/1000")
            return reply.source
        }
        try await expectEqual(part(100..<200), .network)
        try await expectEqual(part(120..<180), .cache)
        try await expectEqual(part(500..<600), .network)
        try await expectEqual(part(100..<200), .cache)
        try await expectEqual(part(150..<550), .network)
        try await expectEqual(part(100..<600), .cache)
        try await expectEqual(part(0..<100), .network)
        try await expectEqual(part(600..<1_000), .network)
        let all = try await scene.api.get("a")
        #expect(all.status == 200 && all.response.source == .cache && all.body.array == whole)
    }

    @Test(
        "A stored part with a strong validator answers every form of a range that it covers",
        arguments: [
            ["ETag": "\"1\""],
            ["Last-Modified": "Tue, 31 Dec 2024 23:00:00 GMT", "Date": "Wed, 01 Jan 2025 00:00:00 GMT", "Age": "0"],
        ] as [ServerHeaders])
    func covered(validator: ServerHeaders) async throws {
        let scene = try CacheScene { _ in
            var fields = validator
            (fields[.cacheControl], fields[.contentRange]) = ("max-age=2000000000", "bytes 5-9/10")
            return .init(status: 206, headers: fields, body: ResponseBody(Bytes(text: "56789")))
        }
        let rows = [
            ("bytes=-5", "56789"), ("bytes=-5", "56789"), ("bytes=6-8", "678"), ("bytes=6-", "6789"),
            ("bytes=-1", "9"), ("bytes=5-99", "56789"),
        ]
        for (number, (range, text)) in rows.enumerated() {
            let reply = try await scene.api.get("a", headers: ["Range": .init(stringLiteral: range)])
            #expect(reply.status == 206 && reply.body.text == text, "\(range)")
            expectEqual(reply.source, number == 0 ? .network : .cache, "\(range)")
        }
        try await expectEqual(scene.api.get("a", headers: ["Range": "bytes=4-8"]).source, .network)
    }

    @Test("The next process serves responses in a folder, but not damaged ones")
    func folder() async throws {
        let folder = CacheTestFolder()
        let text = String(repeating: "tern ", count: 10_000)
        let first = try CacheScene(folder: folder.path) { _ in .cached(text, "max-age=60") }
        _ = try await first.api.get("a")
        await first.cache.sync()
        let second = try CacheScene(folder: folder.path) { _ in .cached(text, "max-age=60") }
        let reply = try await second.api.get("a")
        #expect(reply.body.text == text && reply.source == .cache && second.sent == 0)
        let name = try #require(folder.names.first)
        CacheTestFolder.damage(folder.entries + "/" + name, at: 30_000)
        let third = try CacheScene(folder: folder.path) { _ in .cached(text, "max-age=60") }
        let other = try await third.api.get("a")
        #expect(other.body.text == text && other.response.source == .network)
    }

    @Test("A folder that cannot be used acts as an empty cache")
    func unusable() async throws {
        let scene = try CacheScene(folder: "/dev/null/cache") { _ in .cached("x", "max-age=60") }
        for _ in 0..<3 { try await expectEqual(scene.api.get("a").text(), "x") }
        await scene.cache.sync()
        #expect(await scene.cache.entries().isEmpty)
    }
}
