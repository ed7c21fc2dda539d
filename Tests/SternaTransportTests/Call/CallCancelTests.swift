import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// `Call.cancel()` ends the call wherever it is.
@Suite("Calls: cancellation", .timeLimit(.minutes(5)))
struct CallCancelTests {
    private func withCall(
        isHTTP2: Bool, _ work: (Session, Engine, TestServer, Gate, CallCatcher) async throws -> Void
    ) async throws {
        try await TestServer.withServer(.init(http2: isHTTP2 ? .byPriorKnowledge : [])) { server in
            let (gate, catcher, engine) = (Gate(), CallCatcher(), PoolSupport.engine())
            server.hold(gate)
            let api = try PoolSupport.session(server.url, engine) {
                $0.network.proxies = .none
                if isHTTP2 { $0.network.http2 = .priorKnowledge }
                $0.networkInterceptors = [catcher]
            }
            try await work(api, engine, server, gate, catcher)
            gate.open()
        }
    }

    @Test("Cancelling while it waits for the response", arguments: [false, true])
    func waiting(isHTTP2: Bool) async throws {
        try await withCall(isHTTP2: isHTTP2) { api, engine, server, _, catcher in
            let request = Task { try await api.get("held/1") }
            try await server.waitForRequests(1, within: PoolSupport.limit)
            let call = try #require(catcher.call)
            call.cancel()
            let error = await #expect(throws: SternaError.self) { try await request.value }
            expectEqual(error?.kind, .cancelled)
            expectEqual(error?.phase, .wait)
            #expect(call.isCancelled)
            #expect(!request.isCancelled, "the task goes on")
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("Cancelling while its body is read", arguments: [false, true])
    func reading(isHTTP2: Bool) async throws {
        try await withCall(isHTTP2: isHTTP2) { api, engine, _, _, catcher in
            let error = await #expect(throws: SternaError.self) {
                try await api.withResponse(to: .get("bytes/8000000")) { response in
                    for try await _ in response.body { catcher.call?.cancel() }
                }
            }
            expectEqual(error?.kind, .cancelled)
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("Cancelling while it waits for a connection")
    func queued() async throws {
        try await TestServer.withServer { server in
            let (gate, catcher) = (Gate(), CallCatcher())
            server.hold(gate)
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 1 }
            let api = try PoolSupport.session(server.url, engine)
            let first = Task { try await api.get("held/1").status }
            try await server.waitForRequests(1, within: PoolSupport.limit)
            let watched = api.with { $0.networkInterceptors = [catcher] }
            let second = Task { try await watched.get("held/2").status }
            await PoolSupport.expect(engine, "it waits") { $0.waiting == 1 }
            catcher.call?.cancel()
            let error = await #expect(throws: SternaError.self) { try await second.value }
            expectEqual(error?.kind, .cancelled)
            expectEqual(error?.phase, .queue)
            gate.open()
            try await expectEqual(first.value, 200)
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("Cancelling before it begins sends nothing, and gives a reserved connection back")
    func before() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine)
            try await api.get("1k")
            let cancelling = api.with { $0.interceptors = [Before { $0.call?.cancel() }] }
            let error = await #expect(throws: SternaError.self) { try await cancelling.get("1k") }
            expectEqual(error?.kind, .cancelled)
            expectEqual(error?.requestSent, false)
            try await api.get("1k")
            expectEqual(server.requestCount, 2)
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("Cancelling after the end has no effect")
    func after() async throws {
        try await TestServer.withServer { server in
            let (catcher, engine) = (CallCatcher(), PoolSupport.engine())
            let api = try PoolSupport.session(server.url, engine) { $0.networkInterceptors = [catcher] }
            for _ in 0..<3 {
                try await expectEqual(api.get("1k").status, 200)
                catcher.call?.cancel()
            }
            expectEqual(server.totalConnections, 1, "the connection stays")
        }
    }

    /// Does something before the request goes on.
    private struct Before: Interceptor {
        let work: @Sendable (Request) -> Void

        func intercept(_ request: Request, next: Chain) async throws -> Response {
            work(request)
            return try await next(request)
        }
    }
}

/// Keeps the call that passes.
final class CallCatcher: Interceptor, Sendable {
    private let caught = Mutex<Call?>(nil)
    var call: Call? { caught.withLock { $0 } }

    func intercept(_ request: Request, next: Chain) async throws -> Response {
        caught.withLock { $0 = request.call }
        return try await next(request)
    }
}
