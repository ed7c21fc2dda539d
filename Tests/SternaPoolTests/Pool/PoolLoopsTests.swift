import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// One pool for all event loops: how many connections it opens, and in which order it serves.
@Suite("Pool: several event loops", .timeLimit(.minutes(5)))
struct PoolLoopsTests {
    static let loops = [1, 2, 4, 16]

    private func withServer(
        _ scheme: String, _ work: (TestServer, CertificateAuthority?) async throws -> Void
    ) async throws {
        guard scheme == "https" else { return try await TestServer.withServer { try await work($0, nil) } }
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost", "127.0.0.1"])
        try await TestServer.withServer(.init(tls: bundle)) { try await work($0, authority) }
    }

    /// Callers that each make requests one after the other.
    private func load(
        _ callers: Int, times: Int, _ request: @escaping @Sendable () async throws -> Int
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<callers {
                tasks.addTask {
                    for _ in 0..<times {
                        let status = try await request()
                        expectEqual(status, 200)
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }

    @Test("No more connections than the limit, however many callers", arguments: ["http", "https"], loops)
    func limit(scheme: String, loops: Int) async throws {
        try await withServer(scheme) { server, authority in
            try await PoolSupport.withLoops(loops) { group in
                let engine = PoolSupport.engine(group: group) {
                    $0.maximumConnectionsPerOrigin = 8
                    $0.firstDialPatience = PoolSupport.ages
                }
                let api = try PoolSupport.session(server.url, engine, authority: authority)
                try await load(64, times: 40) { try await api.get("1k").status }
                let statistics = await engine.statistics()
                #expect(server.totalConnections <= 8, "\(server.totalConnections)")
                #expect(statistics.dials <= 8, "\(statistics.dials)")
                expectEqual(statistics.requests, 64 * 40)
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("The default limit holds as well: 150 callers on sixteen event loops")
    func standardLimit() async throws {
        try await withServer("https") { server, authority in
            try await PoolSupport.withLoops(16) { group in
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine, authority: authority)
                try await load(150, times: 10) { try await api.get("1k").status }
                #expect(server.totalConnections <= 128, "\(server.totalConnections)")
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("A caller that moves between event loops reuses open connections")
    func wandering() async throws {
        try await withServer("http") { server, _ in
            try await PoolSupport.withLoops(16) { group in
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 8 }
                let api = try PoolSupport.session(server.url, engine)
                for _ in 0..<500 {
                    let status = try await engine.onEventLoop { try await api.get("1k").status }
                    expectEqual(status, 200)
                }
                #expect(server.totalConnections <= 8, "\(server.totalConnections)")
                #expect(await engine.statistics().dials <= 8)
            }
        }
    }

    @Test("Callers on the event loops and off them share the limit", arguments: [2, 16])
    func mixed(loops: Int) async throws {
        try await withServer("http") { server, _ in
            try await PoolSupport.withLoops(loops) { group in
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 4 }
                let api = try PoolSupport.session(server.url, engine)
                async let onLoops: Void = load(24, times: 30) {
                    try await engine.onEventLoop { try await api.get("1k").status }
                }
                async let offLoops: Void = load(24, times: 30) { try await api.get("1k").status }
                _ = try await (onLoops, offLoops)
                #expect(server.totalConnections <= 4, "\(server.totalConnections)")
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("Waiting requests are served by priority, then by arrival, on any event loop", arguments: loops)
    func order(loops: Int) async throws {
        try await withServer("http") { server, _ in
            try await PoolSupport.withLoops(loops) { group in
                let (gate, order) = (Gate(), PoolOrder())
                server.hold(gate, nil, order)
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 1 }
                let api = try PoolSupport.session(server.url, engine)
                let first = Task { try await api.get("held/first").status }
                try await server.waitForRequests(1, within: PoolSupport.limit)
                // Every other one is asked for on an event loop.
                let tasks = await PoolSupport.queue(12, engine) { number in
                    let priority = [Request.Priority.normal, .low, .normal, .high][number % 4]
                    let get = { @Sendable () async throws -> Int in
                        try await api.get("held/\(number)") { $0.priority = priority }.status
                    }
                    return number % 2 == 0 ? try await get() : try await engine.onEventLoop { try await get() }
                }
                gate.open()
                try await expectEqual(first.value, 200)
                for task in tasks { try await expectEqual(task.value, 200) }
                expectEqual(order.names, ["first"] + [3, 7, 11, 0, 2, 4, 6, 8, 10, 1, 5, 9].map { "\($0)" })
                expectEqual(server.totalConnections, 1)
            }
        }
    }

    @Test("A request cancelled while it waits gets no connection, and the others continue", arguments: [2, 16])
    func cancelled(loops: Int) async throws {
        try await withServer("http") { server, _ in
            try await PoolSupport.withLoops(loops) { group in
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 4 }
                let api = try PoolSupport.session(server.url, engine)
                let served = Counter()
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for number in 0..<400 {
                        tasks.addTask {
                            let task = Task { try await api.get("1k").status }
                            if number % 3 == 0 {
                                if number % 2 == 0 { await Task.yield() }
                                task.cancel()
                            }
                            do {
                                if try await task.value == 200 { served.add() }
                            } catch let error as SternaError where error.kind == .cancelled {
                                expectEqual(number % 3, 0)
                            }
                        }
                    }
                    try await tasks.waitForAll()
                }
                #expect(served.value >= 266)
                await PoolSupport.expect(engine, "nothing waits") { $0.waiting == 0 && $0.activeRequests == 0 }
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("Few connections are on one event loop, so that responses wake one thread")
    func together() async throws {
        try await withServer("http") { server, _ in
            try await PoolSupport.withLoops(4) { group in
                let gate = Gate()
                server.hold(gate)
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine)
                let tasks = (0..<8).map { number in Task { try await api.get("held/\(number)").status } }
                try await server.waitForRequests(8, within: PoolSupport.limit)
                gate.open()
                for task in tasks { try await expectEqual(task.value, 200) }
                var counts: [Int] = []
                for shard in engine.shards { counts.append(try await shard.loop.submit { shard.counts.open }.get()) }
                expectEqual(counts.sorted(), [0, 0, 0, 8])
            }
        }
    }
}
