import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSigning
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Attacks through the cache by servers and by previous callers.
@Suite("Cache: hostile servers and mixed callers", .timeLimit(.minutes(5)))
struct CacheHostileTests {
    enum Route: CaseIterable { case validation, head, ownCondition, refresh }

    @Test("A 304 or HEAD for one identity removes the response from those that all share", arguments: Route.allCases)
    func privateUpdates(route: Route) async throws {
        let scene = try CacheScene { request in
            guard let user = request.headers[.authorization] else {
                return .cached("x", "public, max-age=1, stale-while-revalidate=60", ["ETag": "\"v\""])
            }
            let fields: ServerHeaders = ["ETag": "\"v\"", "Cache-Control": "private, max-age=600", "Server": user]
            return .init(status: request.method == .head ? 200 : 304, headers: fields)
        }
        let alice = scene.api.with { $0.auth.header = .bearer("SECRET") }
        _ = try await scene.api.get("a")
        if route == .refresh { scene.advance(5) }
        switch route {
        case .validation: _ = try await alice.get("a") { $0.cache.policy = .revalidate }
        case .head: _ = try await alice.head("a", headers: ["Cache-Control": "no-cache"])
        case .ownCondition:
            _ = try await alice.withResponse(
                to: .get("a", headers: ["Cache-Control": "no-cache", "If-None-Match": "\"v\""])
            ) { $0.status }
        case .refresh:
            _ = try await alice.get("a")
            await scene.cache.waitForRefreshes(within: .seconds(60))
        }
        let reply = try await scene.api.get("a")
        expectEqual(reply.source, .network)
        #expect(reply.headers[.server] == nil && reply.headers[.cacheControl]?.contains("private") == false)
    }

    @Test("A caller that has read all of a body may finish before the disk does")
    func endsAtOnce() async throws {
        let folder = CacheTestFolder()
        func scene() throws -> CacheScene {
            try CacheScene(folder: folder.path, bytes: 256 << 20) { _ in
                .init(
                    headers: ["Cache-Control": "max-age=60"], body: ResponseBody(CountedPieces.endless(10, of: 30_000)))
            }
        }
        let first = try scene()
        for number in 0..<30 {
            try await first.api.withResponse(to: .get("\(number)")) { response in
                for try await _ in response.body {}
            }
        }
        await first.cache.sync()
        let second = try scene()
        for number in 0..<30 { try await expectEqual(second.api.get("\(number)").source, .cache, "\(number)") }
    }

    @Test("A response that the disk refuses removes the one that it replaces")
    func diskRefuses() async throws {
        let (folder, numbers) = (CacheTestFolder(), Numbers())
        func scene() throws -> CacheScene {
            // An entry may have 10,000 bytes on disk, and more in memory.
            try CacheScene(folder: folder.path, bytes: 80_000) { _ in
                let count = numbers.next == 2 ? 20 : 1
                return .init(
                    headers: ["Cache-Control": "max-age=60"],
                    body: ResponseBody(CountedPieces.endless(count, of: 1_000)))
            }
        }
        let first = try scene()
        try await expectEqual(first.api.get("a").body.count, 1_000)
        await first.cache.sync()
        try await expectEqual(scene().api.get("a").source, .cache)
        try await expectEqual(first.api.get("a") { $0.cache.policy = .reload }.body.count, 20_000)
        await first.cache.sync()
        try await expectEqual(scene().api.get("a").source, .network)
    }

    @Test("A response that a lenient policy accepted is not served under a stricter one")
    func trust() async throws {
        let scene = try CacheScene({ $0.network.allowsOtherOrigins = true }) { _ in .cached("x", "public, max-age=60") }
        let pinned = SecurityPolicy.pinned(["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="])
        let evaluated = {
            var policy = SecurityPolicy.system
            policy.evaluators = [TrustEvaluator { _ in .trusted }]
            return policy
        }()
        let policies: [SecurityPolicy] = [
            .insecure, .system, pinned, .authority(file: "/a.pem"), .authority(file: "/b.pem"), evaluated,
        ]
        for (index, policy) in policies.enumerated() {
            let session = scene.api.with { $0.trust.policy = policy }
            try await expectEqual(session.get("a").source, .network, "\(index)")
            try await expectEqual(session.get("a").source, .cache, "\(index)")
            // Without TLS, no policy of trust applies.
            guard !policy.needsTLS else { continue }
            #expect(try await session.get("http://a.example/a").source == (index == 0 ? .network : .cache), "\(index)")
        }
        let host = scene.api.with { $0.trust.hosts = ["api.example.com": .authority(file: "/a.pem")] }
        try await expectEqual(host.get("a").source, .cache)
        // An unsafe request invalidates the responses of its own policy, and of the default one.
        let writer = scene.api.with { $0.trust.policy = pinned }
        try await writer.put("a", body: .text("x"))
        try await expectEqual(writer.get("a").source, .network)
        try await expectEqual(scene.api.get("a").source, .network)
    }

    @Test("Another Host, and another socket, are another server")
    func servers() async throws {
        let scene = try CacheScene { _ in .cached("x", "public, max-age=60") }
        for host in [nil, "one.example", "two.example", "API.example.com"] as [String?] {
            let headers: Headers = host.map { ["Host": $0] } ?? [:]
            try await expectEqual(scene.api.get("a", headers: headers).source, .network, "\(host ?? "")")
            try await expectEqual(scene.api.get("a", headers: headers).source, .cache, "\(host ?? "")")
        }
        try await expectEqual(scene.api.get("a", headers: ["Host": "api.example.com"]).source, .cache)
        for path in ["/tmp/one", "/tmp/two"] {
            let session = scene.api.with { $0.network.unixSocket = path }
            for source in [ResponseSource.network, .cache] { try await expectEqual(session.get("a").source, source) }
        }
    }

    @Test("Responses to signed requests are for their signer only", arguments: [false, true])
    func signers(isShared: Bool) async throws {
        let scene = try CacheScene(isShared: isShared) { _ in .cached("x", "max-age=60") }
        func aws(_ key: String) -> Session {
            scene.api.with {
                let credentials = AWSCredentials(accessKey: key, secretKey: "s")
                $0.auth.awsSigning = AWSSigning(region: "us-east-1", service: "s3", credentials: credentials)
            }
        }
        func message(_ id: String) -> Session {
            scene.api.with { $0.auth.messageSigning = MessageSigning(key: .hmacSHA256(id: id, secret: [1, 2, 3])) }
        }
        for session in [aws("ONE"), aws("TWO"), message("one"), message("two")] {
            try await expectEqual(session.get("a").source, .network)
            // A shared cache stores no response that needs credentials.
            try await expectEqual(session.get("a").source, (isShared ? .network : .cache))
        }
        try await expectEqual(scene.api.get("a").source, .network)
    }

    @Test("Digest credentials are one identity, whatever their field says")
    func digest() async throws {
        let scene = try CacheScene { request in
            guard request.headers[.authorization] != nil else {
                return .init(
                    status: 401,
                    headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#])
            }
            return .cached("x", "max-age=60")
        }
        func session(_ password: String) -> Session {
            scene.api.with { $0.auth.credential = Credential(user: "ada", password: password) }
        }
        let own = session("pw")
        try await expectEqual(own.get("a").source, .network)
        for _ in 0..<3 { try await expectEqual(own.get("a").source, .cache) }
        await expectEqual(scene.cache.usage().entries, 1)
        let other = session("other")
        _ = try await other.get("b")
        try await expectEqual(other.get("a").source, .network)
    }

    @Test("Secret fields of one request are hashed in the keys of variants")
    func secretFields() async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: folder.path) { _ in
            .cached("x", "max-age=60", ["Vary": "X-Api-Key, X-Plain"])
        }
        for source in [ResponseSource.network, .cache] {
            let reply = try await scene.api.get("a", headers: ["X-Api-Key": "SECRET", "X-Plain": "PLAIN"]) {
                $0.auth.secretHeaders = ["X-API-Key"]
            }
            expectEqual(reply.source, source)
        }
        await scene.cache.sync()
        let texts = folder.names.map { name in
            String(decoding: FileManager.default.contents(atPath: "\(folder.entries)/\(name)") ?? Data(), as: UTF8.self)
        }
        #expect(texts.count == 1 && texts.allSatisfy { $0.contains("PLAIN") && !$0.contains("SECRET") })
    }

    @Test(
        "A refresh ends if its response is no longer stored, and sync() does not wait for it", arguments: [true, false])
    func endlessRefresh(isSilent: Bool) async throws {
        let (numbers, body, gate) = (Numbers(), CountedPieces.endless(1_000_000, of: 10_000), Gate())
        let scene = try CacheScene(bytes: 1 << 20) { _ in
            if numbers.next == 1 { return .cached("x", "max-age=1, stale-while-revalidate=60") }
            if isSilent { await gate.wait() }
            return .init(headers: ["Cache-Control": "max-age=60"], body: ResponseBody(body))
        }
        _ = try await scene.api.get("a")
        scene.advance(5)
        try await expectEqual(scene.api.get("a").source, .cache)
        if isSilent {
            await scene.cache.sync()
            #expect(!scene.cache.refreshes.isEmpty)
            gate.open()
        }
        await scene.cache.waitForRefreshes(within: .seconds(120))
        #expect(scene.cache.refreshes.isEmpty)
        // An entry may have an eighth of the cache.
        #expect(body.taken < 100 && body.isCancelled)
    }

    @Test("A memory-only policy also holds for combined parts")
    func partsInMemory() async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: folder.path) { request in
            let range = request.headers[.range] == "bytes=0-4" ? "0-4" : "5-9"
            return .init(
                status: 206,
                headers: ["Cache-Control": "max-age=60", "ETag": "\"v\"", "Content-Range": "bytes \(range)/10"],
                body: ResponseBody(Bytes(text: "abcde")))
        }
        var policy = CachePolicy.protocolRules
        policy.storage = .allowedInMemoryOnly
        for range in ["bytes=0-4", "bytes=5-9"] {
            _ = try await scene.api.get("a", headers: ["Range": .init(stringLiteral: range)]) { [policy] in
                $0.cache.policy = policy
            }
        }
        await scene.cache.sync()
        let whole = try await scene.api.get("a")
        #expect(whole.source == .cache && whole.body.text == "abcdeabcde")
        #expect(folder.names.isEmpty)
    }

    @Test("Several ranges in one body are not stored as a part")
    func multipart() async throws {
        let scene = try CacheScene { request in
            guard request.headers.contains(.range) else { return .cached("whole", "max-age=60") }
            return .init(
                status: 206,
                headers: [
                    "Cache-Control": "max-age=60", "ETag": "\"v\"", "Content-Range": "bytes 0-4/5",
                    "Content-Type": "Multipart/ByteRanges; boundary=x",
                ], body: ResponseBody(Bytes(text: "--x\r\n")))
        }
        _ = try await scene.api.get("a", headers: ["Range": "bytes=0-1,3-4"])
        try await expectEqual(scene.api.get("a").text(), "whole")
    }

    @Test("No field that Connection names is stored, however many it names")
    func connectionOptions() async throws {
        let scene = try CacheScene { _ in
            var fields: ServerHeaders = ["Connection": (0..<100).map { "X-\($0)" }.joined(separator: ", ")]
            for number in 0..<100 { fields["X-\(number)"] = "hop" }
            return .cached("x", "max-age=60", fields)
        }
        _ = try await scene.api.get("a")
        let reply = try await scene.api.get("a")
        #expect(reply.source == .cache && !reply.headers.contains { $0.value == "hop" })
    }

    @Test("A journal that grows excessively while it is open is replaced")
    func hugeJournal() async throws {
        let folder = CacheTestFolder()
        let cache = folder.open()
        let key = MemoryCacheTests.key("a")
        func store() async throws {
            let writer = try #require(await cache.store(key, variant: 0, head: Bytes(text: "h"), length: 1))
            #expect(await writer.append(Bytes(text: "b")))
            #expect(await writer.commit(head: nil) != nil)
        }
        try await store()
        expectEqual(truncate(folder.journal, 6 << 30), 0)
        _ = await cache.variants(of: key)
        try await store()
        await expectEqual(cache.variants(of: key).count, 1)
        #expect(try #require(FileStatus(path: folder.journal)).size < 1 << 20)
    }
}

extension CountedPieces {
    /// Makes a stream of equal pieces, which share their memory.
    static func endless(_ count: Int, of size: Int) -> CountedPieces {
        CountedPieces(Array(repeating: Bytes(repeating: 0x61, count: size), count: count))
    }
}
