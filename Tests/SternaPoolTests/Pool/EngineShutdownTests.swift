import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// The end of an engine.
@Suite("Engine: shutdown", .timeLimit(.minutes(5)))
struct EngineShutdownTests {
    private func expectShutDown(
        _ api: Session, _ path: String = "1k", location: SourceLocation = #_sourceLocation
    ) async {
        let error = await Wire.failure(.shutDown, .queue, location: location) { try await api.get(path) }
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    @Test("Requests in progress finish, new ones fail, idle connections close", arguments: [1, 2], [false, true])
    func graceful(loops: Int, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            try await PoolSupport.withLoops(loops) { group in
                let gate = Gate()
                server.hold(gate)
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine, authority: authority)
                try await api.warmUp(connections: 5)
                let held = (0..<3).map { number in Task { try await api.get("held/\(number)").text() } }
                try await server.waitForRequests(3, within: PoolSupport.limit)
                let ended = Counter()
                let shutdown = Task {
                    await engine.shutDown(within: PoolSupport.ages)
                    ended.add()
                }
                try await server.waitForOpenConnections(3, within: PoolSupport.limit)
                await expectShutDown(api)
                await #expect(throws: SternaError.self) { try await api.warmUp(connections: 9) }
                expectEqual(ended.value, 0)
                gate.open()
                for (number, task) in held.enumerated() { try await expectEqual(task.value, "\(number)") }
                await shutdown.value
                try await server.waitForOpenConnections(0, within: PoolSupport.limit)
                expectEqual(server.requestCount, 3)
                await expectEqual(engine.statistics().openConnections, 0)
                await expectShutDown(api)
            }
        }
    }

    @Test("A body that is being read may be read to its end")
    func streaming() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine)
            try await api.withResponse(to: .get("bytes/8000000?seed=1")) { response in
                var count = 0
                var shutdown: Task<Void, Never>?
                for try await chunk in response.body {
                    count += chunk.readableBytes
                    if shutdown == nil {
                        shutdown = Task { await engine.shutDown(within: PoolSupport.ages) }
                        await Task.yield()
                    }
                }
                expectEqual(count, 8_000_000)
                await shutdown?.value
            }
            try await server.waitForOpenConnections(0, within: PoolSupport.limit)
        }
    }

    @Test("Requests without a connection fail at once, others continue")
    func waiting() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.hold(gate)
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 1 }
            let api = try PoolSupport.session(server.url, engine)
            let held = Task { try await api.get("held/1").status }
            try await server.waitForRequests(1, within: PoolSupport.limit)
            let waiting = await PoolSupport.queue(3, engine) { _ in try await api.get("1k").status }
            let shutdown = Task { await engine.shutDown(within: PoolSupport.ages) }
            for task in waiting {
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .shutDown)
            }
            gate.open()
            try await expectEqual(held.value, 200)
            await shutdown.value
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("The end of the grace period ends the rest", arguments: [Duration.zero, .milliseconds(100), .seconds(-1)])
    func deadline(grace: Duration) async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.hold(gate)
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine)
            let held = (0..<3).map { number in Task { try await api.get("held/\(number)").status } }
            try await server.waitForRequests(3, within: PoolSupport.limit)
            await engine.shutDown(within: grace)
            for task in held {
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .shutDown)
                expectEqual(error?.requestSent, true)
            }
            try await server.waitForOpenConnections(0, within: PoolSupport.limit)
            gate.open()
        }
    }

    @Test("Dials in progress are cancelled")
    func dialling() async throws {
        let listener = try RawListener(isFull: true)
        let engine = PoolSupport.engine()
        let api = try PoolSupport.session("http://127.0.0.1:\(listener.port)", engine)
        let tasks = (0..<40).map { _ in Task { try await api.get("row").status } }
        await PoolSupport.expect(engine, "all wait") { $0.waiting == 40 && $0.dialling > 0 }
        await engine.shutDown(within: PoolSupport.ages)
        for task in tasks {
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .shutDown)
        }
        await PoolSupport.expectNothing(engine)
        withExtendedLifetime(listener) {}
    }

    @Test("A dial without waiters opens no connection afterwards")
    func surplus() async throws {
        // The first dial hangs in the proxy's handshake; the connection of the second serves both requests.
        let ready: [ScriptedServer.Step] = [
            .receive(atLeast: 3), .sendBytes([5, 0]), .receive(atLeast: 18),
            .sendBytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
            .receiveHead, .answer("one"), .receiveHead, .answer("two"),
        ]
        try await ScriptedServer.withServer(connections: [[.receive(atLeast: 3)], ready]) { server in
            try await PoolSupport.withLoops { group in
                let engine = PoolSupport.engine(group: group)
                let proxy = try Proxy("socks5://127.0.0.1:\(server.port)")
                let api = try PoolSupport.session("http://origin.test", engine) { $0.network.proxies = .proxy(proxy) }
                let first = Task { try await api.get("/one").text() }
                #expect(await server.waitForConnections(1, within: PoolSupport.limit))
                let second = Task { try await api.get("/two").text() }
                try await expectEqual(first.value, "one")
                try await expectEqual(second.value, "two")
                await engine.shutDown(within: PoolSupport.ages)
                #expect(try await server.waitForClose(connection: 1, within: PoolSupport.limit))
                #expect(try await server.waitForClose(connection: 0, within: 60))
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("An engine may be shut down twice, in turn or at once, and without having been used")
    func twice() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine)
            try await expectEqual(api.get("1k").status, 200)
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 { tasks.addTask { await engine.shutDown() } }
            }
            await engine.shutDown()
            await engine.shutDown(within: .zero)
            await expectShutDown(api)
            engine.closeIdleConnections()
            await PoolSupport.engine().shutDown()
        }
    }

    @Test("A second call may shorten the grace period")
    func impatient() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.hold(gate)
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine)
            let held = Task { try await api.get("held/1").status }
            try await server.waitForRequests(1, within: PoolSupport.limit)
            let patient = Task { await engine.shutDown(within: PoolSupport.ages) }
            // Until the patient call is known to be the first.
            while (try? await api.get("1k")) != nil {}
            await engine.shutDown(within: .zero)
            await patient.value
            let error = await #expect(throws: SternaError.self) { try await held.value }
            expectEqual(error?.kind, .shutDown)
            gate.open()
        }
    }

    @Test("Cancelling the caller ends the grace period and the requests in progress")
    func cancelledWait() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.hold(gate)
            let engine = PoolSupport.engine()
            let api = try PoolSupport.session(server.url, engine)
            let held = Task { try await api.get("held/1").status }
            try await server.waitForRequests(1, within: PoolSupport.limit)
            let patient = Task { await engine.shutDown(within: PoolSupport.ages) }
            while (try? await api.get("1k")) != nil {}
            patient.cancel()
            await patient.value
            let error = await #expect(throws: SternaError.self) { try await held.value }
            expectEqual(error?.kind, .shutDown)
            gate.open()
        }
    }

    @Test("The shared engine is not shut down, nor are other ones")
    func shared() async throws {
        try await TestServer.withServer { server in
            let other = try PoolSupport.session(server.url, PoolSupport.engine())
            try await expectEqual(other.get("1k").status, 200)
            await Engine.shared.shutDown(within: .zero)
            let api = try PoolSupport.session(server.url, Engine.shared)
            try await expectEqual(api.get("1k").status, 200)
            try await expectEqual(other.get("1k").status, 200)
            expectEqual(server.requestCount, 3)
        }
    }

    @Test("The event loops keep running, and serve another engine")
    func loopsStay() async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                for _ in 0..<3 {
                    let engine = PoolSupport.engine(group: group)
                    let api = try PoolSupport.session(server.url, engine)
                    try await expectEqual(api.get("1k").status, 200)
                    await engine.shutDown()
                }
                expectEqual(server.totalConnections, 3)
            }
        }
    }
}
