import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Who waits where another one is busy.
@Suite("Pool: turns", .timeLimit(.minutes(5)))
struct PoolTurnTests {
    /// A server that is kept busy, and answers most of its queue only when somebody else has been served.
    private struct Busy {
        let gate = Gate()
        let other = Gate()
        let gaveUp = Counter()

        func route(_ server: TestServer, served: Counter) {
            server.route("GET", "/busy/{n}") { [self] _ in
                await gate.pass()
                if served.add() > 20, !other.isOpen {
                    // Long enough for any fair turn; only what is unfair waits for its end.
                    let wasServed = await eventually(within: .seconds(15)) { other.isOpen }
                    if !wasServed {
                        gaveUp.add()
                        other.open()
                    }
                }
                return .text("busy")
            }
        }
    }

    @Test(
        "Another origin's request is served before a busy one's queue is empty", arguments: [1, 2], [1, 2])
    func origins(maximum: Int, loops: Int) async throws {
        try await TestServer.withServer { server in
            try await TestServer.withServer { quiet in
                try await PoolSupport.withLoops(loops) { group in
                    let (busy, served) = (Busy(), Counter())
                    busy.route(server, served: served)
                    let engine = PoolSupport.engine(group: group) { $0.maximumConnections = maximum }
                    let first = try PoolSupport.session(server.url, engine)
                    let second = try PoolSupport.session(quiet.url, engine)
                    let queue = (0..<60).map { number in Task { try await first.get("busy/\(number)").status } }
                    await PoolSupport.expect(engine, "they wait") { $0.waiting == 60 - maximum }
                    let other = Task {
                        let status = try await second.get("1k").status
                        busy.other.open()
                        return status
                    }
                    await PoolSupport.expect(engine, "one more waits") { $0.waiting == 61 - maximum }
                    busy.gate.open()
                    try await expectEqual(other.value, 200)
                    for task in queue { try await expectEqual(task.value, 200) }
                    expectEqual(busy.gaveUp.value, 0, "the other origin was kept waiting until the queue was done")
                    await PoolSupport.expectNothing(engine)
                }
            }
        }
    }

    @Test("Idle connections to one origin are closed when another needs them", arguments: [1, 2, 4], [1, 2])
    func idle(maximum: Int, loops: Int) async throws {
        try await TestServer.withServer { server in
            try await TestServer.withServer { other in
                try await PoolSupport.withLoops(loops) { group in
                    let engine = PoolSupport.engine(group: group) {
                        $0.maximumConnections = maximum
                        $0.idleTimeout = PoolSupport.ages
                    }
                    let first = try PoolSupport.session(server.url, engine)
                    try await first.warmUp(connections: maximum)
                    await expectEqual(engine.statistics().idle, maximum)
                    let second = try PoolSupport.session(other.url, engine)
                    try await expectEqual(second.get("1k").status, 200)
                    let isLess = await eventually { server.openConnections == maximum - 1 }
                    #expect(isLess, "\(server.openConnections) open")
                    await expectEqual(engine.statistics().openConnections, maximum)
                    // One was enough, and what is open is used again.
                    try await expectEqual(second.get("1k").status, 200)
                    expectEqual(other.totalConnections, 1)
                    if maximum > 1 {
                        try await expectEqual(first.get("1k").status, 200)
                        expectEqual(server.totalConnections, maximum)
                    }
                }
            }
        }
    }

    @Test("No connection is closed for a request that left the queue")
    func left() async throws {
        try await TestServer.withServer { server in
            try await TestServer.withServer { other in
                let gate = Gate()
                server.hold(gate)
                let engine = PoolSupport.engine { $0.maximumConnections = 1 }
                let first = try PoolSupport.session(server.url, engine)
                let second = try PoolSupport.session(other.url, engine)
                let held = Task { try await first.get("held/1").status }
                try await server.waitForRequests(1, within: PoolSupport.limit)
                let waiting = await PoolSupport.queue(3, engine) { _ in try await second.get("1k").status }
                for task in waiting { task.cancel() }
                for task in waiting { _ = await task.result }
                await PoolSupport.expect(engine, "nobody waits") { $0.waiting == 0 }
                gate.open()
                try await expectEqual(held.value, 200)
                try await expectEqual(first.get("1k").status, 200)
                expectEqual(server.totalConnections, 1)
                expectEqual(other.totalConnections, 0)
            }
        }
    }
}
