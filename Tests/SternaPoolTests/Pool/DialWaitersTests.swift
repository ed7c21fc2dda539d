import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Who waits for a connection that is opened for another request, at a server that takes none.
@Suite("Pool: requests that wait for another one's dial", .timeLimit(.minutes(5)))
struct DialWaitersTests {
    private static let limit = Duration.seconds(1)

    private func session(
        _ scheme: String, _ listener: RawListener, _ engine: Engine, connectingFor limit: Duration
    ) throws -> Session {
        try PoolSupport.session("\(scheme)://127.0.0.1:\(listener.port)", engine) {
            if scheme == "http" { $0.network.http2 = .priorKnowledge }
            $0.timeouts.connect = limit
        }
    }

    private func expectTimeout(_ task: Task<Int, any Error>, location: SourceLocation = #_sourceLocation) async {
        let error = await Wire.failure(.timedOut, .connect, location: location) { _ = try await task.value }
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    /// Lets time pass until so many wait. Those that came when the dial had begun wait for the end of a second one; each with a time of
    /// its own behind the others' would take longer.
    private func passTime(_ time: TestClock, of engine: Engine, until count: Int) async {
        let start = time.now
        while await engine.statistics().waiting > count, time.now - start < .seconds(2) {
            await time.advance(by: Self.limit / 8)
            await engine.settle()
        }
        await expectEqual(engine.statistics().waiting, count)
    }

    @Test("All time out together, not one after the other", arguments: ["http", "https"], [1, 2])
    func together(scheme: String, loops: Int) async throws {
        let listener = try RawListener(isFull: true)
        try await PoolSupport.withLoops(loops) { group in
            let time = TestClock()
            let engine = PoolSupport.engine(group: group) { $0.clock = time.clock }
            let api = try session(scheme, listener, engine, connectingFor: Self.limit)
            let tasks = (0..<10).map { _ in Task { try await api.get("row").status } }
            await PoolSupport.expect(engine, "they wait") { $0.waiting == 10 }
            await time.waitForTimer(within: Self.limit)
            await time.advance(by: Self.limit - .milliseconds(1))
            await expectEqual(engine.statistics().waiting, 10)
            await passTime(time, of: engine, until: 0)
            for task in tasks { await expectTimeout(task) }
            await PoolSupport.expectNothing(engine)
        }
        withExtendedLifetime(listener) {}
    }

    @Test("A request with a longer time-out continues to wait", arguments: ["http", "https"])
    func patient(scheme: String) async throws {
        let listener = try RawListener(isFull: true)
        try await PoolSupport.withLoops { group in
            let time = TestClock()
            let engine = PoolSupport.engine(group: group) { $0.clock = time.clock }
            let hasty = try session(scheme, listener, engine, connectingFor: Self.limit)
            let patient = hasty.with { $0.timeouts.connect = PoolSupport.ages }
            let tasks = (0..<3).map { _ in Task { try await hasty.get("row").status } }
            await PoolSupport.expect(engine, "they wait") { $0.waiting == 3 }
            let last = Task { try await patient.get("row").status }
            await PoolSupport.expect(engine, "the one that has more time waits, too") { $0.waiting == 4 }
            await time.waitForTimer(within: Self.limit)
            await passTime(time, of: engine, until: 1)
            for task in tasks { await expectTimeout(task) }
            await PoolSupport.expect(engine, "one is left, and is dialled for") { $0.waiting == 1 && $0.dialling == 1 }
            last.cancel()
            let error = await #expect(throws: SternaError.self) { try await last.value }
            expectEqual(error?.kind, .cancelled)
            await PoolSupport.expectNothing(engine)
        }
        withExtendedLifetime(listener) {}
    }
}
