import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Caching.md, so that they compile and do what it says.
@Suite("Examples: caching", .timeLimit(.minutes(5)))
struct CachingExamplesTests {
    /// A server whose responses are fresh for a minute.
    private func server() -> MockTransport {
        MockTransport { _ in
            .init(
                headers: ["Cache-Control": "max-age=60", "Content-Type": "application/json"],
                body: ResponseBody(Bytes(text: "{}")))
        }
    }

    @Test("Stored, and served again")
    func first() async throws {
        try await Downloading.withFolder { folder in
            let mock = server()
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(mock)

            let cache = ResponseCache.folder(folder)
            let api = try Session(baseURL: "https://api.example.com") { $0.cache.store = cache }

            try await api.get("news")  // the server says Cache-Control: max-age=60
            let again = try await api.get("news")  // for a minute, nothing is sent

            print(again.source)  // cache; else network, or revalidated
            print(again.headers["Cache-Status"] ?? "")  // Sterna; hit; ttl=58; detail="fresh"

            #expect(again.response.source == .cache)
            #expect(again.headers["Cache-Status"]?.hasPrefix("Sterna; hit; ttl=") == true)
            #expect(mock.requests.count == 1)

            for entry in await cache.entries() {
                print(entry.url, entry.status, entry.length, entry.age, entry.timeLeft)
            }
            print(await cache.usage().bytes)

            #expect(await cache.entries().map(\.url) == ["https://api.example.com/news"])
        }
    }

    @Test("Looking inside")
    func contents() async throws {
        let cache = ResponseCache.memory()
        let (api, _) = try mocked("https://api.example.com", by: server()) { $0.cache.store = cache }
        try await api.get("news")
        #expect(await cache.usage().entries == 1)

        for entry in await cache.entries() { print(entry.url, entry.status, entry.length, entry.age, entry.timeLeft) }
        print(await cache.usage().bytes)

        try await cache.remove("https://api.example.com/news")
        await cache.remove(where: { $0.timeLeft <= 0 })
        await cache.removeAll()
        await cache.sync()  // what has arrived is stored, and survives a power failure

        #expect(await cache.usage().entries == 0)
    }

    @Test("Policies")
    func policies() async throws {
        let mock = server()
        let (api, _) = try mocked(by: mock) { $0.cache.store = .memory() }

        let patient = api.with { $0.cache.policy = .cachedElseLoad }  // of a session
        try await api.get("news") { $0.cache.policy = .reload }  // of a request

        #expect(try await patient.get("news").response.source == .cache)

        var policy = CachePolicy.protocolRules
        policy.fallsBackToStored = true
        policy.storage = .allowedInMemoryOnly  // nothing of it is written to the folder
        let steady = api.with { [policy] in $0.cache.policy = policy }

        #expect(try await steady.get("news").response.source == .cache)
        #expect(CachePolicy(.returnCacheDataElseLoad) == .cachedElseLoad)
        #expect(CachePolicy([.askServerIfModified, .fallbackToCacheIfLoadFails]).fallsBackToStored)
        #expect(mock.requests.count == 1)
    }

    @Test("What a program refuses to store")
    func refused() async throws {
        let mock = server()
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.cache.store = .memory()
            $0.cache.willStore = { response, request in !request.url.path.hasPrefix("/account") }
        }

        for path in ["account/7", "account/7", "news", "news"] { try await api.get(path) }
        #expect(mock.requests.map(\.url.path) == ["/account/7", "/account/7", "/news"])
    }

    @Test("Two users, and jars that the next run finds again")
    func users() async throws {
        try await Downloading.withFolder { folder in
            let file = folder + "/cookies.json"
            let mock = server()
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(mock)

            let cache = ResponseCache.folder(folder)
            let api = try Session(baseURL: "https://api.example.com") { $0.cache.store = cache }
            let ada = api.with { $0.auth.identityLabel = "ada" }
            let bob = api.with { $0.auth.identityLabel = "bob" }

            try await ada.get("inbox")
            try await bob.get("inbox")  // asks the server: the stored response is ada's

            #expect(mock.requests.count == 2)

            // Known by its path.
            let kept = api.with { $0.cookies.jar = CookieJar(path: file, keepsSessionCookies: true) }
            // In memory: new cookies in each run, but the same stored responses.
            let named = api.with { $0.cookies.jar = CookieJar(identity: "ada") }
            // Neither sends cookies nor keeps any.
            let plain = api.with { $0.cookies.jar = nil }

            for session in [kept, named, plain] { try await session.get("news") }
            #expect(mock.requests.count == 5)
            await cache.sync()
            let again = api.with { $0.cookies.jar = CookieJar(identity: "ada") }
            #expect(try await again.get("news").source == .cache)
        }
    }

    @Test("Requests that share a transfer")
    func shared() async throws {
        let mock = server()
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") { $0.network.coalescesRequests = true }

        async let news = api.get("news")
        async let same = api.get("news")  // waits for the same response, if that has not begun to arrive
        print(try await news.status, try await same.status)

        // Whether the second came in time is up to the scheduler.
        #expect((1...2).contains(mock.requests.count))
    }

    @Test("Offline")
    func offlineMode() async throws {
        let (api, mock) = try mocked(by: server()) { $0.cache.store = .memory() }
        try await api.get("news")

        let offline = api.with { $0.cache.isOffline = true }
        let reply = try await offline.get("news")  // stored, of any age; throws with status 504 if there is none
        print(reply.headers[.age] ?? "")  // how old it is, in seconds

        do {
            try await offline.get("other")
        } catch let error as SternaError where error.status == 504 {
            print(error.response?.source == .cache)  // true: nothing was sent; a gateway's has .network
            print(error.message)  // … nothing is stored for the URL
        }

        let error = await #expect(throws: SternaError.self) { try await offline.get("other") }
        #expect(error?.status == 504 && error?.response?.source == .cache)
        #expect(error?.message.contains("nothing is stored for the URL") == true)
        #expect(mock.requests.count == 1)
    }
}
