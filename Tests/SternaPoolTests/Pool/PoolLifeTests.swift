import NIOPosix
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// The whole pool by chance, over real sockets: origins, priorities, cancellation, connections that end, on several event loops.
@Suite("Pool: random schedules over sockets", .timeLimit(.minutes(5)))
struct PoolLifeTests {
    private struct Plan {
        let isSecond: Bool
        let path: String
        let priority: Request.Priority
        let isOnLoop: Bool
        let isCancelled: Bool
        let isWarmUp: Bool

        init(_ dice: inout SeededRandom) {
            func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &dice) == 0 }
            isSecond = chance(3)
            path = chance(6) ? "last" : chance(8) ? "delay/0.005" : "1k"
            priority = [.low, .normal, .high].randomElement(using: &dice) ?? .normal
            isOnLoop = chance(3)
            isCancelled = chance(5)
            isWarmUp = chance(40)
        }
    }

    private static func route(_ server: TestServer) {
        server.route("GET", "/last") { _ in ServerResponse(headers: ["connection": "close"], body: .bytes([1, 2, 3])) }
    }

    @Test("All requests end once, no limit is passed, and nothing is left", arguments: [1, 2, 4, 16], 0..<3)
    func anySchedule(loops: Int, seed: Int) async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                Self.route(first)
                Self.route(second)
                try await PoolSupport.withLoops(loops) { group in
                    var dice = SeededRandom(seed: UInt64(seed * 31 + loops))
                    let engine = PoolSupport.engine(group: group) {
                        $0.maximumConnections = 6
                        $0.maximumConnectionsPerOrigin = 4
                    }
                    let sessions = try [first, second].map { try PoolSupport.session($0.url, engine) }
                    let (served, cancelled) = (Counter(), Counter())
                    let isOver = Mutex(false)
                    let watch = Task {
                        while !isOver.withLock({ $0 }) {
                            // Each origin by itself: the numbers of all are not of one moment.
                            let statistics = await engine.statistics()
                            #expect(statistics.origins.allSatisfy { $0.open <= 4 })
                        }
                    }
                    let plans = (0..<400).map { _ in Plan(&dice) }
                    await withTaskGroup(of: Void.self) { tasks in
                        for plan in plans {
                            let session = sessions[plan.isSecond ? 1 : 0]
                            tasks.addTask { await Self.run(plan, session, engine, served, cancelled) }
                        }
                    }
                    isOver.withLock { $0 = true }
                    await watch.value
                    expectEqual(served.value + cancelled.value, plans.count)
                    #expect(served.value >= plans.count { !$0.isCancelled })
                    let statistics = await engine.statistics()
                    expectEqual(statistics.waiting, 0)
                    expectEqual(statistics.activeRequests, 0)
                    await PoolSupport.expectNothing(engine)
                }
            }
        }
    }

    private static func run(
        _ plan: Plan, _ session: Session, _ engine: Engine, _ served: Counter, _ cancelled: Counter
    ) async {
        let task = Task {
            if plan.isWarmUp { return try await session.warmUp(connections: 2) }
            let get = { @Sendable in
                let reply = try await session.get(plan.path) { $0.priority = plan.priority }
                expectEqual(reply.status, 200)
            }
            if plan.isOnLoop { try await engine.onEventLoop { try await get() } } else { try await get() }
        }
        if plan.isCancelled { task.cancel() }
        do {
            try await task.value
            served.add()
        } catch let error as SternaError where error.kind == .cancelled && plan.isCancelled {
            cancelled.add()
        } catch {
            Issue.record(error)
        }
    }
}
