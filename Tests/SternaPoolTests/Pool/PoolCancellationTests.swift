import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Requests that are cancelled before they have a connection give back all that was taken for them.
@Suite("Pool: cancellation", .timeLimit(.minutes(5)))
struct PoolCancellationTests {
    private func expectCancelled<R: Sendable>(
        _ task: Task<R, any Error>, location: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { _ = try await task.value }
        expectEqual(error?.kind, .cancelled, "\(error as Any)", sourceLocation: location)
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    @Test("Cancelling in the queue, in any order", arguments: [1, 2], [false, true])
    func queue(loops: Int, backwards: Bool) async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops(loops) { group in
                let gate = Gate()
                server.hold(gate)
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 1 }
                let api = try PoolSupport.session(server.url, engine)
                let held = Task { try await api.get("held/1").status }
                try await server.waitForRequests(1, within: PoolSupport.limit)
                let tasks = await PoolSupport.queue(6, engine) { _ in try await api.get("1k").status }
                for task in backwards ? tasks.reversed() : tasks { task.cancel() }
                for task in tasks { await expectCancelled(task) }
                await PoolSupport.expect(engine, "one is left") {
                    $0.waiting == 0 && $0.activeRequests == 1 && $0.openConnections == 1
                }
                gate.open()
                try await expectEqual(held.value, 200)
                try await expectEqual(api.get("1k").status, 200)
                expectEqual(server.totalConnections, 1)
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("Cancelling while dialling, in any order", arguments: [1, 3, 128], [false, true])
    func dialling(maximum: Int, backwards: Bool) async throws {
        let listener = try RawListener(isFull: true)
        try await PoolSupport.withLoops { group in
            let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = maximum }
            let api = try PoolSupport.session("http://127.0.0.1:\(listener.port)", engine)
            let tasks = await PoolSupport.queue(5, engine) { _ in try await api.get("row").status }
            await PoolSupport.expect(engine, "they are dialled") { $0.dialling == min(maximum, 5) }
            for task in backwards ? tasks.reversed() : tasks { task.cancel() }
            for task in tasks { await expectCancelled(task) }
            await PoolSupport.expectNothing(engine)
        }
        withExtendedLifetime(listener) {}
    }

    @Test("Cancelling during the look-up of the name")
    func resolving() async throws {
        let gate = Gate()
        let engine = PoolSupport.engine { $0.resolver = QueueTimeoutTests.SlowResolver(gate: gate) }
        let api = try PoolSupport.session("http://slow.test", engine)
        let tasks = await PoolSupport.queue(3, engine) { _ in try await api.get("row").status }
        for task in tasks { task.cancel() }
        for task in tasks { await expectCancelled(task) }
        await PoolSupport.expectNothing(engine)
        gate.open()
    }

    @Test("Cancelling during a TLS handshake or a proxy's", arguments: ["https", "socks5"])
    func handshake(scheme: String) async throws {
        try await ScriptedServer.withServer(connections: [[]]) { server in
            // Each has a dial of its own, also where one might do for all.
            let engine = PoolSupport.engine { $0.firstDialPatience = .zero }
            let proxy = try Proxy("socks5://127.0.0.1:\(server.port)")
            let base = scheme == "https" ? "https://127.0.0.1:\(server.port)" : "http://origin.test"
            let api = try PoolSupport.session(base, engine) {
                if scheme == "socks5" { $0.network.proxies = .proxy(proxy) }
            }
            let tasks = await PoolSupport.queue(3, engine) { _ in try await api.get("row").status }
            for connection in 0..<3 {
                #expect(await server.waitForReceived(1, connection: connection, within: PoolSupport.limit))
            }
            for task in tasks { task.cancel() }
            for task in tasks { await expectCancelled(task) }
            for connection in 0..<3 {
                #expect(try await server.waitForClose(connection: connection, within: PoolSupport.limit))
            }
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("Cancelling in a pause between dials")
    func backoff() async throws {
        let closed = try ClosedPort()
        let engine = PoolSupport.engine()
        let api = try PoolSupport.session("http://127.0.0.1:\(closed.port)", engine)
        for _ in 0..<12 { await Wire.failure(.connectionFailed, .connect) { try await api.get("row") } }
        let tasks = (0..<20).map { _ in Task { try await api.get("row").status } }
        for task in tasks { task.cancel() }
        for task in tasks {
            let error = await #expect(throws: SternaError.self) { try await task.value }
            // A dial may have failed before.
            #expect(error?.kind == .cancelled || error?.kind == .connectionFailed)
        }
        await PoolSupport.expectNothing(engine)
        withExtendedLifetime(closed) {}
    }

    @Test("Cancelling while waiting at the limit of all connections")
    func inAll() async throws {
        try await TestServer.withServer { server in
            try await TestServer.withServer { other in
                let gate = Gate()
                server.hold(gate)
                let engine = PoolSupport.engine { $0.maximumConnections = 1 }
                let first = try PoolSupport.session(server.url, engine)
                let second = try PoolSupport.session(other.url, engine)
                let held = Task { try await first.get("held/1").status }
                try await server.waitForRequests(1, within: PoolSupport.limit)
                let tasks = await PoolSupport.queue(4, engine) { _ in try await second.get("1k").status }
                for task in tasks { task.cancel() }
                for task in tasks { await expectCancelled(task) }
                gate.open()
                try await expectEqual(held.value, 200)
                try await expectEqual(second.get("1k").status, 200)
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    /// What a request sends when it is told to.
    private func body(_ gate: Gate) -> Body {
        let sent = Counter()
        return Body(segments: [
            .producer(
                BodyProducer(length: nil, isReplayable: false) {
                    {
                        await gate.pass()
                        return sent.add() == 1 ? Bytes(string: "whole") : nil
                    }
                })
        ])
    }

    @Test("Cancelling the request that a connection was dialled for does not affect its user")
    func dialledForAnother() async throws {
        // The first dial hangs in the proxy's handshake, so that the first request takes the second one's connection.
        let ready: [ScriptedServer.Step] = [
            .receive(atLeast: 3), .sendBytes([5, 0]), .receive(atLeast: 18),
            .sendBytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
            .receiveHead, .receive(atLeast: 5), .answer("done"),
        ]
        try await ScriptedServer.withServer(connections: [[.receive(atLeast: 3)], ready]) { server in
            try await PoolSupport.withLoops { group in
                let engine = PoolSupport.engine(group: group)
                let proxy = try Proxy("socks5://127.0.0.1:\(server.port)")
                let api = try PoolSupport.session("http://origin.test", engine) { $0.network.proxies = .proxy(proxy) }
                let gate = Gate()
                let first = Task { try await api.post("/first", body: body(gate)).text() }
                #expect(await server.waitForConnections(1, within: PoolSupport.limit))
                let second = Task { try await api.get("/second").status }
                // The head has come, too.
                #expect(await server.waitForReceived(40, connection: 1, within: PoolSupport.limit))
                await PoolSupport.expect(engine, "one waits") { $0.waiting == 1 && $0.dialling == 1 }
                second.cancel()
                await expectCancelled(second)
                gate.open()
                try await expectEqual(first.value, "done")
                // Nobody is left who could use what the other dial would bring.
                #expect(try await server.waitForClose(connection: 0, within: 60))
                await PoolSupport.expectNothing(engine)
            }
        }
    }
}
