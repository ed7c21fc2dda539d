import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: validation")
struct CacheValidationTests {
    @Test("A 304 validates the stored response, and updates its fields")
    func notModified() async throws {
        let scene = try CacheScene { request in
            if request.headers[.ifNoneMatch] == "\"1\"" {
                return .init(
                    status: 304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=30", "Content-Length": "9"])
            }
            return .cached("body", "max-age=10", ["ETag": "\"1\""])
        }
        _ = try await scene.api.get("a")
        scene.advance(11)
        let reply = try await scene.api.get("a")
        #expect(reply.body.text == "body" && reply.status == 200 && reply.source == .revalidated)
        // A 304 with a changed length: the length is that of the stored bytes.
        #expect(reply.headers[.contentLength] == "4" && reply.headers[.cacheControl] == "max-age=30")
        expectEqual(reply.headers["Cache-Status"]?.contains("fwd=stale; fwd-status=304; ttl=30; stored"), true)
        scene.advance(25)
        #expect(try await scene.api.get("a").response.source == .cache && scene.sent == 2)
    }

    @Test("Another response replaces the stored one")
    func replaced() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in
            let number = numbers.next
            return .cached("\(number)", "max-age=10", ["ETag": "\"\(number)\""])
        }
        _ = try await scene.api.get("a")
        scene.advance(11)
        try await expectEqual(scene.api.get("a").text(), "2")
        #expect(try await scene.api.get("a").text() == "2" && scene.sent == 2)
    }

    @Test("A response that is not stored removes the one that it replaces")
    func notStored() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in
            let number = numbers.next
            return .cached("\(number)", number == 1 ? "max-age=60" : "no-store")
        }
        _ = try await scene.api.get("a")
        _ = try await scene.api.get("a") { $0.cache.policy = .reload }
        try await expectEqual(scene.api.get("a").text(), "3")
    }

    @Test("The caller's own conditions are forwarded unchanged")
    func callers() async throws {
        let scene = try CacheScene { request in
            request.headers[.ifNoneMatch] == nil
                ? .cached("x", "max-age=10", ["ETag": "\"1\""])
                : .init(status: 304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=10"])
        }
        _ = try await scene.api.get("a")
        let validating = scene.api.with {
            $0.responseSerializer = DataResponseSerializer().validating(statuses: 200..<400)
        }
        let fresh = try await validating.get("a", headers: ["If-None-Match": "\"1\""])
        #expect(fresh.status == 304 && fresh.response.source == .cache && fresh.body.isEmpty)
        scene.advance(11)
        let stale = try await validating.get("a", headers: ["If-None-Match": "\"1\""])
        #expect(stale.status == 304 && stale.response.source == .network)
        // It has updated the stored one.
        try await expectEqual(scene.api.get("a").response.source, .cache)
    }

    @Test("HEAD updates a stored response, or removes one that differs")
    func head() async throws {
        let scene = try CacheScene { request in
            guard request.method == .head else { return .cached("body", "max-age=10", ["ETag": "\"1\""]) }
            let isSame = request.url.query == nil
            return .init(
                status: 200,
                headers: ["ETag": isSame ? "\"1\"" : "\"2\"", "Cache-Control": "max-age=60", "Content-Length": "4"])
        }
        for path in ["a", "a?other"] { _ = try await scene.api.get(path) }
        scene.advance(11)
        for path in ["a", "a?other"] { _ = try await scene.api.head(path) }
        try await expectEqual(scene.api.get("a").response.source, .cache)
        try await expectEqual(scene.api.get("a?other").response.source, .network)
    }

    @Test(
        "Unsafe methods remove stored responses, unless they fail",
        arguments: [(200, true), (302, true), (404, false), (500, false)])
    func unsafe(status: Int, isRemoved: Bool) async throws {
        let scene = try CacheScene({ $0.redirects = .doNotFollow }) { request in
            guard request.method == .get else {
                return .init(
                    status: status, headers: ["Location": "/b", "Content-Location": "https://other.example/c"])
            }
            return .cached("x", "max-age=60")
        }
        for path in ["a", "b"] { _ = try await scene.api.get(path) }
        _ = try? await scene.api.post("a", body: .text("x"))
        for path in ["a", "b"] {
            try await expectEqual(scene.api.get(path).response.source, (isRemoved ? .network : .cache))
        }
    }

    @Test("A response that may be served stale is validated in the background")
    func refreshes() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in
            let number = numbers.next
            return .cached("\(number)", "max-age=10, stale-while-revalidate=60", ["ETag": "\"\(number)\""])
        }
        _ = try await scene.api.get("a")
        scene.advance(11)
        let stale = try await scene.api.get("a")
        #expect(stale.body.text == "1" && stale.response.source == .cache)
        expectEqual(stale.headers["Cache-Status"]?.contains("ttl=-1"), true)
        await scene.cache.waitForRefreshes(within: .seconds(60))
        expectEqual(scene.sent, 2)
        let fresh = try await scene.api.get("a")
        #expect(fresh.body.text == "2" && fresh.response.source == .cache)
    }
}
