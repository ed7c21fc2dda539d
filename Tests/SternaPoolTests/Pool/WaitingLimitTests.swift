import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// How many requests may wait for a connection.
@Suite("Pool: the limit of waiting requests", .timeLimit(.minutes(5)))
struct WaitingLimitTests {
    @Test("A request beyond the limit fails at once with a reason; the others are served")
    func limit() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.hold(gate)
            let engine = PoolSupport.engine {
                $0.maximumConnectionsPerOrigin = 1
                $0.maximumWaitingPerOrigin = 2
            }
            let api = try PoolSupport.session(server.url, engine)
            let held = Task { try await api.get("held/1").status }
            try await server.waitForRequests(1, within: PoolSupport.limit)
            let waiting = await PoolSupport.queue(2, engine) { _ in try await api.get("1k").status }
            let error = await Wire.failure(.limitExceeded, .queue) { _ = try await api.get("1k") }
            expectEqual(error?.requestSent, false)
            expectEqual(
                error.map { "\($0)" }?.contains("2 requests already wait for a connection"), true, "\(error as Any)")
            gate.open()
            try await expectEqual(held.value, 200)
            for task in waiting { try await expectEqual(task.value, 200) }
            try await expectEqual(api.get("1k").status, 200)
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("Requests that a connection is being opened for do not count")
    func dialling() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.hold(gate)
            let engine = PoolSupport.engine { $0.maximumWaitingPerOrigin = 1 }
            let api = try PoolSupport.session(server.url, engine)
            let tasks = (0..<10).map { number in Task { try await api.get("held/\(number)").status } }
            try await server.waitForRequests(10, within: PoolSupport.limit)
            gate.open()
            for task in tasks { try await expectEqual(task.value, 200) }
        }
    }
}
