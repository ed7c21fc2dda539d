import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: sessions")
struct CacheSessionTests {
    @Test("A fresh response is served without a request, and says so")
    func hit() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in .cached("\(numbers.next)", "max-age=60") }
        let first = try await scene.api.get("news")
        #expect(first.body.text == "1" && first.response.source == .network)
        expectEqual(
            first.headers["Cache-Status"],
            #"Sterna; fwd=uri-miss; fwd-status=200; stored; detail="nothing is stored for the URL""#)
        scene.advance(10)
        let second = try await scene.api.get("news")
        #expect(second.body.text == "1" && second.response.source == .cache && second.status == 200)
        #expect(second.headers[.age] == "10" && second.headers[.contentLength] == "1")
        expectEqual(second.headers["Cache-Status"], #"Sterna; hit; ttl=50; detail="fresh""#)
        scene.advance(51)
        try await expectEqual(scene.api.get("news").text(), "2")
        expectEqual(scene.sent, 2)
    }

    @Test("Other URLs, queries and methods have responses of their own")
    func keys() async throws {
        let scene = try CacheScene { request in .cached("\(request.method) \(request.url.requestTarget)", "max-age=60")
        }
        for path in ["a", "a?b=1", "a?b=2", "a/"] { _ = try await scene.api.get(path) }
        for path in ["a", "a?b=1", "a?b=2", "a/"] {
            try await expectEqual(scene.api.get(path).text(), "GET /\(path)")
        }
        expectEqual(scene.sent, 4)
        let head = try await scene.api.head("a")
        #expect(head.response.source == .cache && head.headers[.contentLength] == "6" && head.body.isEmpty)
        _ = try await scene.api.get("%61")
        expectEqual(scene.sent, 4)
    }

    @Test(
        "A response that is not fresh or forbids storing is requested again",
        arguments: [
            "no-store", "max-age=60, no-store", "max-age=0", "", "max-age=60, max-age=0", "max-age=\"60", "no-cache",
        ])
    func notFresh(control: String) async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in .cached("\(numbers.next)", control) }
        _ = try await scene.api.get("a")
        try await expectEqual(scene.api.get("a").text(), "2")
    }

    @Test("A request with content bypasses the cache")
    func content() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in .cached("\(numbers.next)", "max-age=60") }
        _ = try await scene.api.get("a")
        let reply = try await scene.api.send(RequestDraft(.get, "a", body: .text("question")))
        #expect(reply.body.text == "2" && reply.source == .network)
    }

    @Test("Derived sessions share the cache; one without a cache is not changed")
    func derived() async throws {
        let scene = try CacheScene { _ in .cached("x", "max-age=60") }
        _ = try await scene.api.with { $0.timeout = .seconds(5) }.get("a")
        try await expectEqual(scene.api.get("a").response.source, .cache)
        let bare = try await scene.api.with { $0.cache.store = nil }.get("a")
        #expect(bare.response.source == .network && bare.headers["Cache-Status"] == nil)
    }

    @Test("Each redirect is stored separately")
    func redirects() async throws {
        let scene = try CacheScene { request in
            request.url.path == "/old"
                ? .init(status: 301, headers: ["Location": "/new", "Cache-Control": "max-age=60"])
                : .cached("new", "max-age=60")
        }
        _ = try await scene.api.get("old")
        let again = try await scene.api.get("old")
        #expect(again.body.text == "new" && again.response.redirects.count == 1 && scene.sent == 2)
    }

    @Test("Variants are stored separately")
    func variants() async throws {
        let scene = try CacheScene { request in
            .cached(request.headers[.acceptLanguage] ?? "none", "max-age=60", ["Vary": "Accept-Language"])
        }
        for language in ["de", "en", "de", "en"] {
            try await expectEqual(scene.api.get("a", headers: ["Accept-Language": language]).text(), language)
        }
        expectEqual(scene.sent, 2)
        try await expectEqual(scene.api.get("a", headers: ["Accept-Language": "fr"]).response.source, .network)
    }

    @Test("Vary: a response is never served to a request with other values")
    func varyMismatch() async throws {
        let scene = try CacheScene { request in
            .cached(request.headers[.accept] ?? "none", "max-age=60", ["Vary": "*"])
        }
        _ = try await scene.api.get("a", headers: ["Accept": "text/plain"])
        try await expectEqual(scene.api.get("a", headers: ["Accept": "text/html"]).text(), "text/html")
        await expectEqual(scene.cache.usage().entries, 0)
    }

    @Test("Entries are listed without secrets, measured and removed")
    func entries() async throws {
        let scene = try CacheScene { request in .cached("x", "max-age=60") }
        for path in ["a", "b?token=secret", "c"] { _ = try await scene.api.get(path) }
        scene.advance(20)
        let entries = await scene.cache.entries()
        #expect(
            Set(entries.map(\.url)) == [
                "https://api.example.com/a", "https://api.example.com/b?token=***", "https://api.example.com/c",
            ])
        #expect(
            entries.allSatisfy {
                $0.age == 20 && $0.timeLeft == 40 && $0.length == 1 && $0.isComplete && $0.status == 200
            })
        await expectEqual(scene.cache.usage().entries, 3)
        let first = try #require(entries.first)
        await expectEqual(scene.cache.body(of: first)?.text, "x")
        try await scene.cache.remove("https://api.example.com/a")
        await scene.cache.remove { $0.url.hasSuffix("/c") }
        #expect(await scene.cache.entries().map(\.url) == ["https://api.example.com/b?token=***"])
        await scene.cache.removeAll()
        await expectEqual(scene.cache.usage(), .init(entries: 0, bytes: 0))
        try await expectEqual(scene.api.get("a").response.source, .network)
    }

    @Test("willStore may prevent storing")
    func willStore() async throws {
        let scene = try CacheScene { settings in
            settings.cache.willStore = { response, request in request.url.path != "/private" && response.status == .ok }
        } answer: { _ in
            .cached("x", "max-age=60")
        }
        for path in ["private", "open"] { for _ in 0..<2 { _ = try await scene.api.get(path) } }
        expectEqual(scene.mock.requests.map(\.url.path), ["/private", "/private", "/open"])
    }

    @Test(
        "The policy decides whether the cache or the server responds",
        arguments: [
            (CachePolicy.protocolRules, "1", 1), (.reload, "2", 2), (.cachedElseLoad, "1", 1), (.cachedOnly, "1", 1),
            (.revalidate, "2", 2), (.ignored, "2", 2),
        ])
    func policies(policy: CachePolicy, text: String, count: Int) async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in .cached("\(numbers.next)", "max-age=60") }
        _ = try await scene.api.get("a")
        try await expectEqual(scene.api.get("a") { $0.cache.policy = policy }.text(), text)
        expectEqual(scene.sent, count)
        // The response to a reload is stored, that of a bypassing request is not.
        let last = try await scene.api.get("a").text()
        expectEqual(last, (policy == .ignored ? "1" : text))
    }

    @Test("The session's policy applies to its requests")
    func sessionPolicy() async throws {
        let scene = try CacheScene({ $0.cache.policy = .cachedElseLoad }) { _ in .cached("x", "max-age=60") }
        _ = try await scene.api.get("a")
        scene.advance(3_600)
        let reply = try await scene.api.get("a")
        #expect(reply.source == .cache && reply.headers[.age] == "3600")
        try await expectEqual(scene.api.get("a") { $0.cache.policy = .protocolRules }.response.source, .network)
    }

    @Test("A body for memory only is not written to the folder")
    func inMemoryOnly() async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: folder.path) { _ in .cached("x", "max-age=60") }
        var policy = CachePolicy.protocolRules
        policy.storage = .allowedInMemoryOnly
        _ = try await scene.api.get("a") { [policy] in $0.cache.policy = policy }
        await scene.cache.sync()
        try await expectEqual(scene.api.get("a").response.source, .cache)
        let other = try CacheScene(folder: folder.path) { _ in .cached("x", "max-age=60") }
        try await expectEqual(other.api.get("a").response.source, .network)
    }
}
