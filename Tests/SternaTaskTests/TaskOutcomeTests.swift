import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Tasks: awaited values", .timeLimit(.minutes(5)))
struct TaskOutcomeTests {
    @Test("Any number of Swift tasks receive the value, before and after it is set")
    func many() async throws {
        let outcome = TaskOutcome<Int>()
        async let values = withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await outcome.value } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        outcome.set(.success(7))
        outcome.set(.success(8))
        try await expectEqual(values, Array(repeating: 7, count: 50))
        try await expectEqual(outcome.value, 7)
    }

    @Test("Cancelling a wait ends only that wait")
    func cancelled() async throws {
        let outcome = TaskOutcome<Int>()
        let other = Task { try await outcome.value }
        let waiting = Task { try await outcome.value }
        waiting.cancel()
        let error = await #expect(throws: SternaError.self) { try await waiting.value }
        expectEqual(error?.kind, .cancelled)
        expectNil(outcome.result)
        outcome.set(.success(1))
        try await expectEqual(other.value, 1)
    }

    @Test("A gate holds its waiters until it opens, or until their Swift task is cancelled")
    func gate() async throws {
        let gate = TaskGate()
        try await gate.pass()
        gate.close()
        let waiting = Task { try await gate.pass() }
        let cancelled = Task { try await gate.pass() }
        cancelled.cancel()
        await #expect(throws: SternaError.self) { try await cancelled.value }
        gate.open()
        try await waiting.value
    }

    @Test("An unlocked gate cannot be closed: suspending during a cancellation has no effect")
    func unlocked() async throws {
        let gate = TaskGate()
        gate.close()
        let waiting = Task { try await gate.pass() }
        gate.unlock()
        gate.close()
        try await waiting.value
        try await gate.pass()
    }
}
