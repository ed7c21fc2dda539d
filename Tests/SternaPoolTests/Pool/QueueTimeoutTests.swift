import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Waiting for a connection for too long.
@Suite("Pool: queue time-out", .timeLimit(.minutes(5)))
struct QueueTimeoutTests {
    /// Lets the time of a waiting request pass.
    private func expectTimeout(
        _ time: TestClock, after limit: Duration = Wire.short, location: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable () async throws -> Void
    ) async {
        let error = await Wire.failure(.timedOut, .queue, location: location) {
            try await Wire.pass(limit, on: time, location: location, work)
        }
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    @Test("The queue time-out ends the waiting request, and the next one is served", arguments: [1, 2])
    func strikes(loops: Int) async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops(loops) { group in
                let (gate, time) = (Gate(), TestClock())
                server.hold(gate)
                let engine = PoolSupport.engine(group: group) {
                    $0.maximumConnectionsPerOrigin = 1
                    $0.clock = time.clock
                }
                let api = try PoolSupport.session(server.url, engine)
                let held = Task { try await api.get("held/1").status }
                try await server.waitForRequests(1, within: PoolSupport.limit)
                let hasty = api.with { $0.timeouts.queue = Wire.short }
                for _ in 0..<3 { await expectTimeout(time) { try await hasty.get("1k") } }
                await PoolSupport.expect(engine, "nobody waits") { $0.waiting == 0 && $0.activeRequests == 1 }
                let next = await PoolSupport.queue(1, engine) { _ in try await api.get("1k").status }
                gate.open()
                try await expectEqual(held.value, 200)
                for task in next { try await expectEqual(task.value, 200) }
                expectEqual(server.requestCount, 2)
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("It ends a request at the limit of all connections, and the queue continues")
    func inAll() async throws {
        try await TestServer.withServer { server in
            try await TestServer.withServer { other in
                let (gate, time) = (Gate(), TestClock())
                server.hold(gate)
                let engine = PoolSupport.engine {
                    $0.maximumConnections = 1
                    $0.clock = time.clock
                }
                let first = try PoolSupport.session(server.url, engine)
                let second = try PoolSupport.session(other.url, engine)
                let held = Task { try await first.get("held/1").status }
                try await server.waitForRequests(1, within: PoolSupport.limit)
                let patient = await PoolSupport.queue(1, engine) { _ in try await second.get("1k").status }
                let hasty = second.with { $0.timeouts.queue = Wire.short }
                await expectTimeout(time) { try await hasty.get("1k") }
                gate.open()
                try await expectEqual(held.value, 200)
                for task in patient { try await expectEqual(task.value, 200) }
                expectEqual(other.requestCount, 1)
            }
        }
    }

    @Test("It does not end a request that has a connection, however long that takes")
    func notLater() async throws {
        try await TestServer.withServer { server in
            let (gate, time) = (Gate(), TestClock())
            server.hold(gate)
            let engine = PoolSupport.engine { $0.clock = time.clock }
            let api = try PoolSupport.session(server.url, engine) { $0.timeouts.queue = .milliseconds(20) }
            let held = Task { try await api.get("held/1").status }
            try await server.waitForRequests(1, within: PoolSupport.limit)
            await time.advance(by: .milliseconds(300))
            gate.open()
            try await expectEqual(held.value, 200)
        }
    }

    /// Finds addresses when it is told to.
    struct SlowResolver: HostResolver {
        let gate: Gate

        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            await gate.pass()
            return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
        }
    }

    @Test("It ends a request whose dialled connection went to another one")
    func overtaken() async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                let (gate, found, time) = (Gate(), Gate(), TestClock())
                server.hold(gate)
                let engine = PoolSupport.engine(group: group) {
                    $0.clock = time.clock
                    $0.maximumConnectionsPerOrigin = 1
                    $0.resolver = SlowResolver(gate: found)
                }
                let api = try PoolSupport.session("http://slow.test:\(server.port)", engine)
                let hasty = api.with { $0.timeouts.queue = .milliseconds(500) }
                let tasks = await PoolSupport.queue(2, engine) { number in
                    try await (number == 0 ? hasty : api).get("held/\(number)") {
                        $0.priority = number == 0 ? .low : .high
                    }.status
                }
                found.open()
                try await server.waitForRequests(1, within: PoolSupport.limit)
                let start = time.now
                await expectTimeout(time, after: .milliseconds(500)) { _ = try await tasks[0].value }
                #expect(time.now - start < .seconds(15))
                gate.open()
                try await expectEqual(tasks[1].value, 200)
                expectEqual(server.requestCount, 1)
            }
        }
    }
}
