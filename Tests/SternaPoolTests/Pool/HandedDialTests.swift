import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A request that waits for another one's dial, and is alone with it when that one gives up, has its own time.
@Suite("Pool: dials of cancelled requests", .timeLimit(.minutes(5)))
struct HandedDialTests {
    /// What of a dial does not come to its end.
    enum Part: CaseIterable {
        case resolve, connect, tls

        var phase: SternaError.Phase {
            switch self {
            case .resolve: .resolve
            case .connect: .connect
            case .tls: .tls
            }
        }

        func set(_ limit: Duration, in timeouts: inout Timeouts) {
            switch self {
            case .resolve: timeouts.resolve = limit
            case .connect: timeouts.connect = limit
            case .tls: timeouts.tls = limit
            }
        }
    }

    private static let short = Duration.seconds(3)

    /// Two servers that hang in a part of the dial.
    private func withServers(
        _ part: Part, _ work: (Engine, TestClock, _ one: String, _ two: String) async throws -> Void
    ) async throws {
        let time = TestClock()
        let one = try RawListener(isFull: part == .connect)
        let two = try RawListener(isFull: part == .connect)
        let names = part == .resolve ? ["one.test", "two.test"] : ["127.0.0.1", "127.0.0.1"]
        let silent = GivenResolver { _, _ in
            try await Task.sleep(for: .seconds(3_600))
            return ResolvedHost([])
        }
        try await PoolSupport.withLoops { group in
            let engine = PoolSupport.engine(group: group) {
                $0.resolver = silent
                $0.clock = time.clock
            }
            try await work(engine, time, "https://\(names[0]):\(one.port)", "https://\(names[1]):\(two.port)")
            await PoolSupport.expectNothing(engine)
        }
        withExtendedLifetime((one, two)) {}
    }

    private func expectCancelled(_ task: Task<Int, any Error>, location: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await task.value }
        expectEqual(error?.kind, .cancelled, "\(error as Any)", sourceLocation: location)
    }

    @Test("The next request does not inherit the cancelled one's time-out", arguments: Part.allCases)
    func longer(part: Part) async throws {
        try await withServers(part) { engine, time, one, two in
            let patient = try PoolSupport.session(one, engine)
            let hasty = patient.with { part.set(Self.short, in: &$0.timeouts) }
            let tasks = await PoolSupport.queue(2, engine) { number in
                try await (number == 0 ? hasty : patient).get("row").status
            }
            tasks[0].cancel()
            await expectCancelled(tasks[0])
            // Another one with as much time, on the same event loop, began later: the first one's is over with it.
            let clock = try PoolSupport.session(two, engine) { part.set(Self.short, in: &$0.timeouts) }
            await Wire.failure(.timedOut, part.phase) {
                try await Wire.pass(Self.short, on: time) { try await clock.get("row") }
            }
            let waiting = await engine.statistics().waiting
            expectEqual(waiting, 1)
            tasks[1].cancel()
            await expectCancelled(tasks[1])
        }
    }

    @Test("The next request has its own time-out", arguments: Part.allCases)
    func shorter(part: Part) async throws {
        try await withServers(part) { engine, time, one, _ in
            let slow = try PoolSupport.session(one, engine) { part.set(.seconds(600), in: &$0.timeouts) }
            let hasty = slow.with { part.set(Self.short, in: &$0.timeouts) }
            let start = time.now
            let tasks = await PoolSupport.queue(2, engine) { number in
                try await (number == 0 ? slow : hasty).get("row").status
            }
            tasks[0].cancel()
            await expectCancelled(tasks[0])
            await Wire.failure(.timedOut, part.phase) {
                try await Wire.pass(Self.short, on: time) { _ = try await tasks[1].value }
            }
            #expect(time.now - start < .seconds(100))
        }
    }
}
