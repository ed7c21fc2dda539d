import HTTPTypes
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: failures, offline mode")
struct CacheFailureTests {
    /// A server that can be switched off.
    final class Server: Sendable {
        enum State: Sendable { case up, failing, gone }
        let state = Mutex(State.up)
        let control: String

        init(_ control: String) { self.control = control }

        func set(_ new: State) { state.withLock { $0 = new } }

        @Sendable func answer(_ request: Request) throws -> ServerResponse {
            switch state.withLock({ $0 }) {
            case .up: .cached("stored", control)
            case .failing: .cached("failed", "", status: 503)
            case .gone: throw SternaError(.connectionFailed, phase: .connect, "Nothing is there.")
            }
        }
    }

    @Test(
        "A stale response is served if the server failed and one side permits it",
        arguments: [
            ("max-age=10, stale-if-error=60", Server.State.failing, true),
            ("max-age=10, stale-if-error=60", .gone, true),
            ("max-age=10", .failing, false), ("max-age=10", .gone, false),
            ("max-age=10, stale-if-error=60, must-revalidate", .gone, false),
            ("max-age=10, stale-if-error=5", .gone, false), ("no-cache, stale-if-error=60", .gone, false),
        ])
    func staleIfError(control: String, state: Server.State, isServed: Bool) async throws {
        let server = Server(control)
        let scene = try CacheScene(answer: server.answer)
        _ = try await scene.api.get("a")
        scene.advance(20)
        server.set(state)
        let reply = try? await scene.api.get("a")
        expectEqual((reply?.response.source == .cache), isServed)
        if isServed { expectEqual(reply?.headers["Cache-Status"]?.contains("ttl=-10"), true) }
    }

    @Test("A policy may fall back to a stored response if the server cannot be reached")
    func fallsBack() async throws {
        let server = Server("max-age=10")
        let scene = try CacheScene(answer: server.answer)
        _ = try await scene.api.get("a")
        scene.advance(1_000)
        server.set(.gone)
        var policy = CachePolicy.protocolRules
        policy.fallsBackToStored = true
        let reply = try await scene.api.get("a") { [policy] in $0.cache.policy = policy }
        #expect(reply.source == .cache && reply.headers["Cache-Status"]?.contains("cannot be reached") == true)
        let error = await #expect(throws: SternaError.self) { try await scene.api.get("a") }
        expectEqual(error?.kind, .connectionFailed)
    }

    @Test(
        "Offline, stale responses are served and say so, unless a directive forbids it; nothing is sent",
        arguments: [
            ("max-age=10", true), ("max-age=10, must-revalidate", false), ("max-age=10, no-cache", false),
        ])
    func offline(control: String, isServed: Bool) async throws {
        let server = Server(control)
        let scene = try CacheScene(answer: server.answer)
        _ = try await scene.api.get("a")
        scene.advance(1_000)
        let offline = scene.api.with { $0.cache.isOffline = true }
        let reply = try? await offline.get("a")
        expectEqual((reply != nil), isServed)
        if let reply {
            #expect(
                reply.source == .cache
                    && reply.headers["Cache-Status"]?.contains("never asks the server") == true)
        }
        expectEqual(scene.sent, 1)
    }

    @Test("Offline and cached-only requests without a stored response receive a 504, which is not retried")
    func unanswered() async throws {
        let server = Server("max-age=10")
        let scene = try CacheScene({ $0.retry = .transient }, answer: server.answer)
        let offline = scene.api.with { $0.cache.isOffline = true }
        for request in [
            RequestDraft(.get, "b") { $0.cache.policy = .reload }, RequestDraft(.post, "b"),
            RequestDraft(.get, "b", headers: ["Cache-Control": "only-if-cached"]),
            RequestDraft(.post, "b", headers: ["Cache-Control": "only-if-cached"]),
            RequestDraft(.get, "b", body: .text("c"), headers: ["Cache-Control": "only-if-cached"]),
            RequestDraft(.get, "b") { $0.cache.policy = .cachedOnly },
        ] {
            let session = request.settings.cache.policy == .cachedOnly || !request.headers.isEmpty ? scene.api : offline
            let error = await #expect(throws: SternaError.self) { try await session.send(request) }
            #expect(error?.kind == .unacceptableStatus && error?.status == 504)
            #expect(
                error?.message.contains("The cache answered 504") == true
                    || error?.detail.contains("The cache answered 504") == true)
        }
        expectEqual(scene.sent, 0)
    }

    @Test("An offline session needs no cache")
    func bare() async throws {
        let (api, mock) = try mocked { $0.cache.isOffline = true }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        #expect(error?.status == 504 && mock.requests.isEmpty)
    }

    @Test("A cancelled request is not served from the cache")
    func cancelled() async throws {
        let isStored = Mutex(false)
        let scene = try CacheScene { _ in
            if isStored.withLock({ $0 }) { throw CancellationError() }
            return .cached("x", "max-age=10, stale-if-error=1000")
        }
        _ = try await scene.api.get("a")
        isStored.withLock { $0 = true }
        scene.advance(20)
        let error = await #expect(throws: SternaError.self) { try await scene.api.get("a") }
        expectEqual(error?.kind, .cancelled)
    }

    @Test("The policies of NSURLRequest and ASIHTTPRequest behave as there")
    func names() async throws {
        let server = Server("max-age=10")
        let scene = try CacheScene(answer: server.answer)
        _ = try await scene.api.get("a")
        scene.advance(100)
        let reply = try await scene.api.get("a") { $0.cache.policy = CachePolicy(.returnCacheDataElseLoad) }
        expectEqual(reply.source, .cache)
        server.set(.gone)
        let other = try await scene.api.get("a") {
            $0.cache.policy = CachePolicy([.askServerIfModified, .fallbackToCacheIfLoadFails])
        }
        expectEqual(other.response.source, .cache)
    }
}
