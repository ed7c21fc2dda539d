import NIOPosix
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// No run on servers that are slow or gone.
@Suite("Pool: dials", .timeLimit(.minutes(5)))
struct DialLimitTests {
    @Test("At most sixteen dials run at a time on an event loop, however many requests wait")
    func sixteen() async throws {
        let listener = try RawListener(isFull: true)
        try await PoolSupport.withLoops { group in
            let engine = PoolSupport.engine(group: group)
            let api = try PoolSupport.session("http://127.0.0.1:\(listener.port)", engine)
            let tasks = (0..<100).map { _ in Task { try await api.get("row").status } }
            // Dials begin one after the other, after their requests wait.
            await PoolSupport.expect(engine, "all wait") { $0.waiting == 100 && $0.dialling == 16 }
            for _ in 0..<20 {
                let statistics = await engine.statistics()
                expectEqual(statistics.dialling, 16)
                expectEqual(statistics.dials, 16)
                expectEqual(statistics.origins.map(\.open), [16])
            }
            for task in tasks { task.cancel() }
            for task in tasks {
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .cancelled)
            }
            await PoolSupport.expectNothing(engine)
        }
        withExtendedLifetime(listener) {}
    }

    @Test("200 concurrent requests to a closed port fail soon, after few dials")
    func deadPort() async throws {
        let closed = try ClosedPort()
        let engine = PoolSupport.engine()
        let api = try PoolSupport.session("http://127.0.0.1:\(closed.port)", engine)
        let failures = Counter()
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<200 {
                tasks.addTask {
                    let error = await #expect(throws: SternaError.self) { try await api.get("row") }
                    expectEqual(error?.kind, .connectionFailed, "\(error as Any)")
                    expectEqual(error?.phase, .connect)
                    expectEqual(error?.requestSent, false)
                    if error?.kind == .connectionFailed { failures.add() }
                }
            }
        }
        // With a pause of a second before each dial it would be minutes.
        #expect(ContinuousClock.now - start < .seconds(30))
        expectEqual(failures.value, 200)
        // Dials that were under way when the last request failed end a moment later.
        await PoolSupport.expect(engine, "all dials have failed") { $0.failedDials == $0.dials }
        await PoolSupport.expectNothing(engine)
        let statistics = await engine.statistics()
        #expect(statistics.dials > 0)
        #expect(statistics.dials < 100, "\(statistics.dials)")
        withExtendedLifetime(closed) {}
    }

    /// Finds nothing so many times, then this machine.
    final class Recovering: HostResolver {
        let failures: Int
        let asked = Counter()

        init(failures: Int) { self.failures = failures }

        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            if asked.add() <= failures { throw SternaError(.hostNotFound, phase: .resolve, "Not yet.") }
            return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
        }
    }

    @Test("A server that comes back is found again, and dialled without a pause from then on", arguments: [1, 4, 6])
    func comesBack(failures: Int) async throws {
        try await TestServer.withServer { server in
            let resolver = Recovering(failures: failures)
            let engine = PoolSupport.engine {
                $0.resolver = resolver
                $0.resolvedLifetime = .zero
            }
            let api = try PoolSupport.session("http://back.test:\(server.port)", engine)
            var answered = false
            let start = ContinuousClock.now
            while !answered, ContinuousClock.now - start < Wire.soon {
                do {
                    answered = try await api.get("1k").status == 200
                } catch let error as SternaError {
                    expectEqual(error.kind, .hostNotFound)
                }
            }
            #expect(answered)
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<50 { tasks.addTask { try await api.get("1k").status } }
                for try await status in tasks { expectEqual(status, 200) }
            }
            await PoolSupport.expectNothing(engine)
        }
    }

    @Test("A dial policy's refusal delays no other dials")
    func refusals() async throws {
        try await TestServer.withServer { server in
            let refuses = Mutex(true)
            let policy = DialPolicy.custom("changing") { _, _, _ in refuses.withLock { !$0 } }
            try await PoolSupport.withLoops { group in
                let engine = PoolSupport.engine(group: group)
                let api = try PoolSupport.session(server.url, engine) { $0.network.dialPolicy = policy }
                for _ in 0..<30 { await Wire.failure(.addressRefused, .connect) { try await api.get("1k") } }
                await expectEqual(engine.statistics().failedDials, 30)
                refuses.withLock { $0 = false }
                try await expectEqual(api.get("1k").status, 200)
            }
        }
    }

    @Test("A failed dial of one origin holds up no other")
    func others() async throws {
        let closed = try ClosedPort()
        try await TestServer.withServer { server in
            try await PoolSupport.withLoops { group in
                let engine = PoolSupport.engine(group: group) { $0.maximumConnections = 2 }
                let dead = try PoolSupport.session("http://127.0.0.1:\(closed.port)", engine)
                let live = try PoolSupport.session(server.url, engine)
                let failing = (0..<50).map { _ in Task { try await dead.get("row").status } }
                for _ in 0..<20 { try await expectEqual(live.get("1k").status, 200) }
                for task in failing {
                    let error = await #expect(throws: SternaError.self) { try await task.value }
                    expectEqual(error?.kind, .connectionFailed)
                }
                await PoolSupport.expectNothing(engine)
            }
        }
        withExtendedLifetime(closed) {}
    }
}
