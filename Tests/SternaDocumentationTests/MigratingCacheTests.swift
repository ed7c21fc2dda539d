import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows about caches of docs/Migrating.
@Suite("Coming from another client: caches", .timeLimit(.minutes(5)))
struct MigratingCacheTests {
    private func server() -> MockTransport {
        MockTransport { _ in
            .init(
                headers: ["Cache-Control": "max-age=60", "Content-Type": "application/json"],
                body: ResponseBody(Bytes(text: "{}")))
        }
    }

    @Test("A cache, its entries, and what is removed")
    func caches() async throws {
        try await Downloading.withFolder { folder in
            let date = Date(timeIntervalSinceNow: -60)
            func small() -> ResponseCache {
                let cache = ResponseCache.folder(folder, bytes: 100 << 20, memoryBytes: 8 << 20)
                return cache
            }
            let cache = ResponseCache.folder(folder)
            let (api, _) = try mocked("https://api.example.com", by: server()) {
                $0.cache.store = cache
                $0.cache.willStore = { response, request in response.status == .ok }
            }
            try await api.get("users")
            let reply = try await api.get("users")
            #expect(reply.source == .cache)
            for entry in await cache.entries() { print(entry.url) }
            if let entry = await cache.entries().first(where: { $0.url == "https://api.example.com/users" }) {
                print(entry.headers)
            }
            if let entry = await cache.entries().first(where: { $0.url == "https://api.example.com/users" }) {
                #expect(entry.headers[.contentType] == "application/json")
                #expect(entry.timeLeft > 0)
                #expect(await cache.body(of: entry)?.text == "{}")
                let stored = try await cache.response(of: entry)
                #expect(stored?.status == .ok && stored?.source == .cache)
            }
            func found() async -> ResponseCache.Entry? {
                let entry = await cache.entries().first { $0.url == "https://api.example.com/users" }
                return entry
            }
            #expect(await found() != nil)
            #expect(await cache.usage().bytes > 0)
            try await cache.remove("https://api.example.com/users")
            #expect(await found() == nil)
            try await api.get("users")
            await cache.remove(where: { $0.stored > date })
            #expect(await found() == nil)
            await cache.removeAll()
            #expect(small().path == folder)
            let refusing = api.with { $0.cache.willStore = { response, request in false } }
            try await refusing.get("users")
            #expect(await cache.usage().entries == 0)
        }
    }

    /// What a session's settings become.
    private func settings(_ changes: ((inout SessionSettings) -> Void)...) throws -> [CachePolicy] {
        var all: [CachePolicy] = []
        for change in changes {
            _ = try mocked {
                change(&$0)
                all.append($0.cache.policy)
            }
        }
        return all
    }

    @Test("Policies of URLRequest and ASIHTTPRequest by their names")
    func names() throws {
        let foundation = try settings(
            { $0.cache.policy = CachePolicy(.useProtocolCachePolicy) },
            { $0.cache.policy = CachePolicy(.reloadIgnoringLocalCacheData) },
            { $0.cache.policy = CachePolicy(.returnCacheDataElseLoad) },
            { $0.cache.policy = CachePolicy(.returnCacheDataDontLoad) },
            { $0.cache.policy = CachePolicy(.reloadRevalidatingCacheData) },
            { $0.cache.policy = CachePolicy(.reloadIgnoringLocalAndRemoteCacheData) })
        #expect(Array(foundation.prefix(5)) == [.protocolRules, .reload, .cachedElseLoad, .cachedOnly, .revalidate])

        let flags = try settings(
            { $0.cache.policy = CachePolicy(.askServerIfModifiedWhenStale) },
            { $0.cache.policy = CachePolicy(.doNotReadFromCache) },
            { $0.cache.policy = CachePolicy([.doNotReadFromCache, .doNotWriteToCache]) },
            { $0.cache.policy = CachePolicy(.askServerIfModified) },
            { $0.cache.policy = CachePolicy(.onlyLoadIfNotCached) },
            { $0.cache.policy = CachePolicy(.dontLoad) },
            { $0.cache.policy = CachePolicy(.fallbackToCacheIfLoadFails) })
        var policy = CachePolicy.revalidate
        policy.fallsBackToStored = true
        #expect(flags == [.protocolRules, .reload, .ignored, .revalidate, .cachedElseLoad, .cachedOnly, policy])
        policy.storage = .allowedInMemoryOnly
        #expect(policy != flags.last)
        policy.storage = .notAllowed
        policy.storage = .allowed
        #expect(policy == flags.last)
    }

    @Test("Of a session and of a request")
    func policies() async throws {
        let (api, mock) = try mocked(by: server()) {
            $0.cache.store = .memory()
            $0.cache.policy = .cachedElseLoad
        }
        try await api.get("users")
        try await api.get("users") { $0.cache.policy = .ignored }
        try await api.get("users")
        #expect(mock.requests.count == 2)
    }
}
