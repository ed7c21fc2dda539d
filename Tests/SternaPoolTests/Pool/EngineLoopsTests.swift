import NIOPosix
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Event loops of one's own, and what an engine says of itself.
@Suite("Engine: event loops and statistics", .timeLimit(.minutes(5)))
struct EngineLoopsTests {
    @Test("A single given event loop carries everything")
    func own() async throws {
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine)
                try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for number in 0..<50 {
                        tasks.addTask { try await api.get(number % 2 == 0 ? "1k" : "bytes/600000").status }
                    }
                    for try await status in tasks { expectEqual(status, 200) }
                }
                let onLoop = await engine.onEventLoop { MultiThreadedEventLoopGroup.currentEventLoop === group.next() }
                #expect(onLoop)
                await engine.shutDown()
            }
        }
    }

    #if os(Linux)
    @Test("Engines add no threads")
    func threads() async throws {
        // In a process of its own: the threads of tests that run beside this one come and go.
        await #expect(processExitsWith: .success) {
            func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
            try await TestServer.withServer { server in
                try await PoolSupport.withLoops { group in
                    let first = PoolSupport.engine(group: group)
                    try await expectEqual(PoolSupport.session(server.url, first).get("1k").status, 200)
                    var engines = [first]
                    let before = try count()
                    for _ in 0..<200 {
                        let engine = PoolSupport.engine(group: group)
                        engines.append(engine)
                        try await expectEqual(PoolSupport.session(server.url, engine).get("1k").status, 200)
                    }
                    // The Swift tasks' and the files' threads may still grow by as many as the machine has cores, and a few.
                    let allowance = ProcessInfo.processInfo.activeProcessorCount + 16
                    let added = try count() - before
                    #expect(added < allowance)
                    for engine in engines { await engine.shutDown() }
                }
            }
        }
    }
    #endif

    @Test("The statistics of an unused engine are empty")
    func quiet() async throws {
        let engine = PoolSupport.engine()
        let statistics = await engine.statistics()
        #expect(statistics.origins.isEmpty)
        expectEqual(statistics.activeRequests, 0)
        expectEqual(statistics.openConnections, 0)
        let sums = [statistics.requests, statistics.reuses, statistics.dials, statistics.failedDials]
        expectEqual(sums, [0, 0, 0, 0])
    }

    @Test("The statistics of a busy engine count everything")
    func busy() async throws {
        let closed = try ClosedPort()
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                let gate = Gate()
                server.hold(gate)
                let engine = PoolSupport.engine(group: group) { $0.maximumConnectionsPerOrigin = 2 }
                let api = try PoolSupport.session(server.url, engine)
                let tasks = (0..<5).map { number in Task { try await api.get("held/\(number)").status } }
                try await server.waitForRequests(2, within: PoolSupport.limit)
                await PoolSupport.expect(engine, "three wait") { $0.waiting == 3 }
                var statistics = await engine.statistics()
                let origin = try #require(statistics.origins.first)
                expectEqual(statistics.origins.count, 1)
                expectEqual("\(origin.origin)", server.url)
                expectEqual([origin.open, origin.idle, origin.dialling, origin.waiting], [2, 0, 0, 3])
                expectEqual(statistics.activeRequests, 5)
                expectEqual(statistics.openConnections, 2)
                expectEqual([statistics.requests, statistics.reuses], [2, 0])
                expectEqual([statistics.dials, statistics.failedDials], [2, 0])
                gate.open()
                for task in tasks { try await expectEqual(task.value, 200) }
                statistics = await engine.statistics()
                expectEqual(statistics.origins.map { [$0.open, $0.idle, $0.dialling, $0.waiting] }, [[2, 2, 0, 0]])
                expectEqual(statistics.activeRequests, 0)
                expectEqual([statistics.requests, statistics.reuses], [5, 3])
                let dead = try PoolSupport.session("http://127.0.0.1:\(closed.port)", engine)
                await Wire.failure(.connectionFailed, .connect) { try await dead.get("row") }
                statistics = await engine.statistics()
                expectEqual(statistics.origins.count, 1)
                expectEqual([statistics.requests, statistics.dials, statistics.failedDials], [5, 3, 1])
                await PoolSupport.expectNothing(engine)
                await expectEqual(engine.statistics().requests, 5)
            }
        }
        withExtendedLifetime(closed) {}
    }
}
