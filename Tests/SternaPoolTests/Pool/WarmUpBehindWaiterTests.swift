import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A warm-up that comes while requests to the same origin wait for a permit does not wait there with them.
@Suite("Pool: warm-up after waiting requests", .timeLimit(.minutes(5)))
struct WarmUpBehindWaiterTests {
    @Test("It returns at once, and the requests are served in turn", arguments: [1, 3], [1, 4])
    func returns(waiting: Int, connections: Int) async throws {
        let gate = Gate()
        try await TestServer.withServer { busy in
            busy.hold(gate)
            try await TestServer.withServer { server in
                try await PoolSupport.withLoops { group in
                    let engine = PoolSupport.engine(group: group) { $0.maximumConnections = 1 }
                    let other = try PoolSupport.session(busy.url, engine) { $0.network.http2 = .off }
                    let api = try PoolSupport.session(server.url, engine) { $0.network.http2 = .off }
                    let held = Task { try await other.get("held/x").status }
                    try await busy.waitForRequests(1, within: PoolSupport.limit)
                    let tasks = await PoolSupport.queue(waiting, engine) { _ in try await api.get("1k").status }
                    let ended = Counter()
                    let warmUp = Task {
                        defer { ended.add() }
                        try await api.warmUp(connections: connections)
                    }
                    let hasReturned = await eventually(within: .seconds(5)) { ended.value == 1 }
                    #expect(hasReturned)
                    // Nobody was let in before the others, and nobody has left.
                    await PoolSupport.expect(engine, "the requests wait on") { $0.waiting == waiting }
                    expectEqual(server.totalConnections, 0)
                    gate.open()
                    try await warmUp.value
                    let status = try await held.value
                    expectEqual(status, 200)
                    for task in tasks {
                        let status = try await task.value
                        expectEqual(status, 200)
                    }
                    expectEqual(server.requestCount, waiting)
                    await PoolSupport.expectNothing(engine)
                }
            }
        }
    }
}
