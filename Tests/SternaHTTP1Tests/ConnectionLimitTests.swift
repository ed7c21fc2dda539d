import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Limit of connections to an origin", .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    private func engine(_ maximum: Int, group: MultiThreadedEventLoopGroup = .singleton) -> Engine {
        var options = Wire.options
        options.maximumConnectionsPerOrigin = maximum
        return Engine(options: options, group: group)
    }

    @Test("50 concurrent requests stay within the limit of connections", arguments: [1, 2, 7], [false, true])
    func limit(maximum: Int, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let most = Counter()
            server.route("GET", "/count/{n}") { request in
                most.raise(to: server.openConnections)
                await Task.yield()
                return .text(request.parameters["n"] ?? "")
            }
            let api = try Wire.session(server.url, engine: engine(maximum), authority: authority)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let text = try await api.get("count/\(number)").text()
                        expectEqual(text, "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            expectEqual(server.requestCount, 50)
            // The server counts a connection until it has read of its end, which may be after the next has come.
            #expect(most.value <= 2 * maximum)
        }
    }

    @Test("A returned permit goes to a waiter on any event loop", arguments: [1, 2, 3])
    func acrossLoops(maximum: Int) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 4)
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url, engine: engine(maximum, group: group))
            for round in 0..<150 {
                let start = ContinuousClock.now
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for _ in 0..<(maximum + 1) { tasks.addTask { try await api.get("1k") } }
                    try await tasks.waitForAll()
                }
                // One that is forgotten waits until an idle connection times out.
                #expect(ContinuousClock.now - start < .seconds(8), "round \(round)")
            }
        }
        try await group.shutdownGracefully()
    }

    @Test("An idle connection on one event loop does not block a request on another")
    func idleElsewhere() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        try await TestServer.withServer { server in
            let api = try Wire.session(server.url, engine: engine(1, group: group)) { $0.timeouts.total = .seconds(8) }
            // Each turn runs on the next event loop.
            for _ in 0..<4 {
                _ = try await api.onEventLoop { try await api.get("1k").status }
            }
            expectEqual(server.requestCount, 4)
        }
        try await group.shutdownGracefully()
    }

    @Test("A connection is not closed for requests that have left the queue", .timeLimit(.minutes(5)))
    func leftTheLine() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        try await TestServer.withServer { server in
            let (engine, gate) = (engine(1, group: group), Gate())
            server.hold(gate)
            let api = try Wire.session(server.url, engine: engine)
            let first = Task { try await api.onEventLoop { try await api.get("held/1").status } }
            try await server.waitForRequests(1, within: 60)
            // Some of these are in line on the other event loop when they are cancelled.
            let waiting = (0..<6).map { _ in Task { try await api.onEventLoop { try await api.get("1k").status } } }
            await PoolSupport.expect(engine, "all are in line") { $0.waiting == waiting.count }
            for task in waiting { task.cancel() }
            for task in waiting { await #expect(throws: SternaError.self) { try await task.value } }
            gate.open()
            try await expectEqual(first.value, 200)
            try await expectEqual(api.get("1k").status, 200)
            expectEqual(server.totalConnections, 1)
        }
        try await group.shutdownGracefully()
    }

    @Test("Refused connections give their permits back", arguments: [1, 2])
    func refused(maximum: Int) async throws {
        let closed = try ClosedPort()
        let api = try Wire.session("http://127.0.0.1:\(closed.port)", engine: engine(maximum))
        // A permit that were lost would leave the rest of these waiting.
        for _ in 0..<2 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        await Wire.failure(.connectionFailed, .connect) { try await api.get("x") }
                    }
                }
            }
        }
        withExtendedLifetime(closed) {}
    }

    @Test("Failed handshakes and broken responses give their permits back")
    func broken() async throws {
        let bad: [ScriptedServer.Step] = [.receive(atLeast: 1), .send("nonsense\r\n\r\n"), .close]
        let good: [ScriptedServer.Step] = [.receiveHead, .answer("good")]
        try await ScriptedServer.withServer(connections: Array(repeating: bad, count: 6) + [good]) { server in
            let plain = try Wire.session(server.url, engine: engine(1))
            for _ in 0..<6 { await Wire.failure(.malformedResponse, .read) { try await plain.get("x") } }
            try await expectEqual(plain.get("x").text(), "good")
        }
        try await ScriptedServer.withServer(connections: [bad]) { server in
            let secure = try Wire.session("https://127.0.0.1:\(server.port)", engine: engine(1))
            for _ in 0..<6 { await Wire.failure(.tlsFailed, .tls) { try await secure.get("x") } }
            expectEqual(server.acceptedConnections, 6)
        }
    }

    @Test("Cancelled requests leave the queue, and the others continue")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let (engine, gate) = (engine(1), Gate())
            server.hold(gate)
            let api = try Wire.session(server.url, engine: engine)
            let first = Task { try await api.get("held/1").status }
            try await server.waitForRequests(1, within: 60)
            let waiting = (0..<30).map { number in Task { try await api.get("anything/\(number)").status } }
            await PoolSupport.expect(engine, "all are in line") { $0.waiting == waiting.count }
            for (number, task) in waiting.enumerated() where number % 2 == 0 { task.cancel() }
            gate.open()
            for (number, task) in waiting.enumerated() {
                if number % 2 == 0 {
                    let error = await #expect(throws: SternaError.self) { try await task.value }
                    expectEqual(error?.kind, .cancelled)
                    expectEqual(error?.requestSent, false)
                } else {
                    try await expectEqual(task.value, 200)
                }
            }
            try await expectEqual(first.value, 200)
            expectEqual(server.requestCount, 16)
            expectEqual(server.openConnections, 1)
        }
    }
}
