import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Connections that are opened before they are needed.
@Suite("Pool: warm-up", .timeLimit(.minutes(5)))
struct WarmUpTests {
    @Test("It opens connections without requests, which later requests use", arguments: [1, 2, 5], [false, true])
    func opens(count: Int, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let gate = Gate()
            server.hold(gate)
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine, authority: authority)
            try await api.warmUp(connections: count)
            await expectEqual(engine.statistics().idle, count)
            #expect(await eventually { server.totalConnections == count })
            expectEqual(server.requestCount, 0)
            // As many at once as there are, so that each has one.
            let tasks = (0..<count).map { number in Task { try await api.get("held/\(number)").status } }
            try await server.waitForRequests(count, within: PoolSupport.limit)
            gate.open()
            for task in tasks { try await expectEqual(task.value, 200) }
            expectEqual(server.totalConnections, count)
            await expectEqual(engine.statistics().dials, count)
        }
    }

    @Test("Open connections count, and no more are opened than allowed")
    func counts() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 3 }
            let api = try PoolSupport.session(server.url, engine)
            try await expectEqual(api.get("1k").status, 200)
            for (count, open) in [(1, 1), (0, 1), (-4, 1), (2, 2), (2, 2), (100, 3), (Int.max, 3)] {
                try await api.warmUp("1k", connections: count)
                await expectEqual(engine.statistics().openConnections, open)
            }
            #expect(await eventually { server.totalConnections == 3 })
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("A warm connection is closed at its time like any other")
    func idle() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            let engine = PoolSupport.engine {
                $0.idleTimeout = .milliseconds(50)
                $0.clock = time.clock
            }
            let api = try PoolSupport.session(server.url, engine)
            try await api.warmUp(connections: 3)
            #expect(await eventually { server.totalConnections == 3 })
            let areClosed = await eventually {
                await time.advance(by: .milliseconds(50))
                return server.openConnections == 0
            }
            #expect(areClosed)
            await PoolSupport.expect(engine, "nothing is open") { $0.origins.isEmpty }
        }
    }

    @Test("It throws the error of opening a connection")
    func refused() async throws {
        let closed = try ClosedPort()
        let engine = PoolSupport.engine()
        let api = try PoolSupport.session("http://127.0.0.1:\(closed.port)", engine)
        for count in [1, 4] {
            await Wire.failure(.connectionFailed, .connect) { try await api.warmUp(connections: count) }
        }
        await PoolSupport.expectNothing(engine)
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]))
        try await TestServer.withServer(options) { server in
            let stranger = try PoolSupport.session(server.url, engine, authority: try CertificateAuthority())
            await Wire.failure(.certificateRejected, .tls) { try await stranger.warmUp() }
            expectEqual(server.requestCount, 0)
        }
        await PoolSupport.expectNothing(engine)
    }

    @Test("It observes time-outs and cancellation, and leaves nothing behind")
    func ends() async throws {
        let listener = try RawListener(isFull: true)
        let time = TestClock()
        let engine = PoolSupport.engine { $0.clock = time.clock }
        let api = try PoolSupport.session("http://127.0.0.1:\(listener.port)", engine)
        let hasty = api.with { $0.timeouts.connect = Wire.short }
        await Wire.failure(.timedOut, .connect) {
            try await Wire.pass(Wire.short, on: time) { try await hasty.warmUp(connections: 3) }
        }
        await PoolSupport.expectNothing(engine)
        let task = Task { try await api.warmUp(connections: 3) }
        await PoolSupport.expect(engine, "they are dialled") { $0.dialling == 3 }
        task.cancel()
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .cancelled)
        await PoolSupport.expectNothing(engine)
        withExtendedLifetime(listener) {}
    }

    @Test("If the server closes a warm connection as it is used, a GET is resent")
    func stale() async throws {
        let fresh: [ScriptedServer.Step] = [.receiveHead, .answer("fresh")]
        try await ScriptedServer.withServer(connections: [[.receiveHead, .close], fresh]) { server in
            let api = try PoolSupport.session(server.url, PoolSupport.engine())
            try await api.warmUp()
            try await expectEqual(api.get("row").text(), "fresh")
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test("Beyond the limit of all connections it ends, and no more are opened than allowed", arguments: [1, 2])
    func inAll(loops: Int) async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops(loops) { group in
                let engine = PoolSupport.engine(group: group) { $0.maximumConnections = 2 }
                let api = try PoolSupport.session(server.url, engine) { $0.timeouts.total = .seconds(40) }
                try await api.warmUp(connections: 5)
                #expect(await engine.statistics().openConnections <= 2)
                #expect(server.totalConnections <= 2)
                try await expectEqual(api.get("1k").status, 200)
            }
        }
    }

    @Test("Concurrent warm-ups end, too, and close none of each other's connections", arguments: [1, 2])
    func atOnce(loops: Int) async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops(loops) { group in
                for _ in 0..<50 {
                    let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 3 }
                    let api = try PoolSupport.session(server.url, engine) { $0.timeouts.total = .seconds(40) }
                    try await withThrowingTaskGroup(of: Void.self) { tasks in
                        for _ in 0..<4 { tasks.addTask { try await api.warmUp(connections: 3) } }
                        try await tasks.waitForAll()
                    }
                    let statistics = await engine.statistics()
                    expectEqual(statistics.openConnections, 3, "\(statistics)")
                    expectEqual(statistics.dials, 3, "\(statistics)")
                    try await expectEqual(api.get("1k").status, 200)
                    await engine.shutDown()
                }
            }
        }
    }
}
