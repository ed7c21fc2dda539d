import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaCore
@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Time that stands still for a call stops all its limits.
@Suite("Calls: pauses", .timeLimit(.minutes(5)))
struct CallPauseTests {
    enum Limit: CaseIterable {
        case total, deadline, firstByte
    }

    private static let limit = Duration.milliseconds(800)

    private func withPaused(
        _ limit: Limit, isHTTP2: Bool,
        _ work: (Task<Int, any Error>, Call, Gate, Engine, TestClock) async throws -> Void
    ) async throws {
        let time = TestClock()
        let engine = PoolSupport.engine { $0.clock = time.clock }
        try await TestServer.withServer(.init(http2: isHTTP2 ? .byPriorKnowledge : [])) { server in
            let (gate, catcher) = (Gate(), CallCatcher())
            server.hold(gate)
            let api = try PoolSupport.session(server.url, engine) {
                $0.network.proxies = .none
                if isHTTP2 { $0.network.http2 = .priorKnowledge }
                $0.networkInterceptors = [catcher]
            }
            try await api.get("1k")
            let request = Task {
                try await api.get("held/1") {
                    switch limit {
                    case .total: $0.timeouts.total = Self.limit
                    case .deadline: $0.deadline = time.deadline + Self.limit
                    case .firstByte: $0.timeouts.firstByte = Self.limit
                    }
                }.status
            }
            let isThere = await eventually { server.requestCount == 2 }
            try #require(isThere)
            let call = try #require(catcher.call)
            call.pause()
            // Longer than the limit, on the clock that the limit is measured by.
            await time.advance(by: Self.limit * 2)
            await expectEqual(engine.statistics().activeRequests, 1)
            try await work(request, call, gate, engine, time)
            gate.open()
        }
    }

    @Test("Limits do not expire while the call is paused", arguments: Limit.allCases, [false, true])
    func stopped(limit: Limit, isHTTP2: Bool) async throws {
        try await withPaused(limit, isHTTP2: isHTTP2) { request, call, gate, _, _ in
            #expect(call.isPaused)
            gate.open()
            let status = try await request.value
            expectEqual(status, 200)
        }
    }

    @Test("Limits expire after the call has been resumed", arguments: Limit.allCases, [false, true])
    func resumed(limit: Limit, isHTTP2: Bool) async throws {
        try await withPaused(limit, isHTTP2: isHTTP2) { request, call, _, engine, time in
            call.resume()
            // The event loop knows of it.
            await engine.settle()
            await time.advance(by: Self.limit - .milliseconds(1))
            await expectEqual(engine.statistics().activeRequests, 1)
            await time.advance(by: Self.limit / 8)
            let error = await #expect(throws: SternaError.self) { try await request.value }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .wait)
        }
    }

    @Test("Pauses may be nested")
    func nested() {
        let call = Call(deadline: .now() + .seconds(60))
        let deadline = call.deadline
        call.pause()
        call.pause()
        call.resume()
        #expect(call.isPaused)
        expectEqual(call.limit, .distantFuture)
        #expect(call.deadline >= deadline)
        call.resume()
        #expect(!call.isPaused)
        #expect(call.deadline >= deadline)
        #expect(call.limit < .distantFuture)
        call.resume()
        #expect(!call.isPaused, "one that was not paused")
    }

    @Test("Deadlines may be infinitely far, or have passed", arguments: [false, true])
    func extremes(isPast: Bool) {
        let call = Call(deadline: isPast ? .uptimeNanoseconds(0) : .distantFuture)
        #expect(!call.isPaused)
        call.pause()
        call.resume()
        #expect(!call.isPaused)
        expectEqual(call.deadline.hasPassed, isPast)
    }
}
