import Dispatch
import Synchronization
import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Waits of one task", .timeLimit(.minutes(5)))
struct WaitTests {
    private struct Own: Error, Equatable { var number = 0 }

    /// Returns once a task waits, for which ``Wait/value(cancelled:begin:isolation:)`` calls its closure.
    private func begun(_ wait: Wait<Int>, cancelled: Own? = nil) async -> Task<Int, any Error> {
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await wait.value(cancelled: cancelled ?? CancellationError() as any Error) { begin.finish() }
        }
        for await _ in begins {}
        return task
    }

    @Test("A result that comes before the wait ends it at once, and nothing begins")
    func early() async throws {
        let wait = Wait<Int>()
        #expect(!wait.isEnded)
        #expect(wait.end(.success(7)))
        #expect(wait.isEnded)
        var isBegun = false
        let value = try await wait.value(begin: { isBegun = true })
        expectEqual(value, 7)
        #expect(!isBegun)
    }

    @Test("A result that comes later ends it")
    func late() async throws {
        let wait = Wait<Int>()
        let task = await begun(wait)
        #expect(!wait.isEnded)
        #expect(wait.end(.success(7)))
        try await expectEqual(task.value, 7)
    }

    @Test("An error is thrown as it is")
    func failure() async {
        let wait = Wait<Int>()
        let task = await begun(wait)
        wait.end(.failure(Own(number: 3)))
        await #expect(throws: Own(number: 3)) { try await task.value }
    }

    @Test("Only the first result counts, and each end says whether it does", arguments: [false, true])
    func two(waitsFirst: Bool) async throws {
        let wait = Wait<Int>()
        let task = waitsFirst ? await begun(wait) : nil
        #expect(wait.end(.success(1)))
        #expect(!wait.end(.success(2)))
        #expect(!wait.end(.failure(Own())))
        try await expectEqual((task ?? Task { try await wait.value() }).value, 1)
    }

    @Test("A result can be given while the wait begins")
    func within() async throws {
        let wait = Wait<Int>()
        let value = try await wait.value(begin: { wait.end(.success(7)) })
        expectEqual(value, 7)
    }

    @Test("In a task that is cancelled already it ends at once, and nothing begins")
    func cancelledBefore() async {
        let wait = Wait<Int>()
        let gate = Gate()
        let isBegun = Atomic(false)
        let task = Task {
            await gate.wait()
            return try await wait.value(begin: { isBegun.store(true, ordering: .relaxed) })
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        expectEqual(isBegun.load(ordering: .relaxed), false)
        #expect(wait.isEnded && !wait.end(.success(1)))
    }

    @Test("A result that came before counts in a cancelled task, too")
    func cancelledBehind() async throws {
        let wait = Wait<Int>()
        wait.end(.success(7))
        let gate = Gate()
        let task = Task {
            await gate.wait()
            return try await wait.value()
        }
        task.cancel()
        gate.open()
        try await expectEqual(task.value, 7)
    }

    @Test("Cancelling the task ends it, with an error of the caller's own", arguments: [nil, 5])
    func cancelled(number: Int?) async {
        let wait = Wait<Int>()
        let task = await begun(wait, cancelled: number.map { Own(number: $0) })
        task.cancel()
        let error = await #expect(throws: (any Error).self) { try await task.value }
        expectEqual((error as? Own)?.number, number)
        expectEqual(error is CancellationError, number == nil)
        #expect(!wait.end(.success(1)))
    }

    @Test("A function of the caller's own decides how a cancelled wait ends")
    func onCancel() async throws {
        let wait = Wait<Int>()
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await wait.value(onCancel: { wait.end(.success(9)) }, begin: { begin.finish() })
        }
        for await _ in begins {}
        task.cancel()
        try await expectEqual(task.value, 9)
    }

    @Test("A wait that ignores cancellation ends by its result alone")
    func ignoring() async throws {
        let wait = Wait<Int>()
        let task = Task { try await wait.valueIgnoringCancellation() }
        task.cancel()
        for _ in 0..<20 { await Task.yield() }
        #expect(!wait.isEnded)
        #expect(wait.end(.success(7)))
        try await expectEqual(task.value, 7)
    }

    @MainActor @Test("What begins runs on the caller's actor")
    func actor() async throws {
        let wait = Wait<Int>()
        var count = 0
        _ = try await wait.value(begin: {
            MainActor.assertIsolated()
            count += 1
            wait.end(.success(1))
        })
        expectEqual(count, 1)
    }

    @Test("Of a result and a cancellation at the same time one counts, and the task learns of that one")
    func race() async {
        for index in 0..<1_000 {
            let wait = Wait<Int>()
            // Half of the tasks wait already, the others may not have begun.
            let task = index.isMultiple(of: 2) ? await begun(wait) : Task { try await wait.value() }
            let counts = atOnce {
                wait.end(.success(index))
            } and: {
                task.cancel()
            }
            switch await task.result {
            case .success(let value):
                expectEqual(value, index)
                #expect(counts)
            case .failure(let error):
                #expect(!counts && error is CancellationError)
            }
            #expect(!wait.end(.success(-1)))
        }
    }

    @Test("Of two results at the same time one counts")
    func results() async throws {
        for _ in 0..<1_000 {
            let wait = Wait<Int>()
            let task = await begun(wait)
            let second = Atomic(false)
            let first = atOnce {
                wait.end(.success(1))
            } and: {
                second.store(wait.end(.success(2)), ordering: .relaxed)
            }
            expectEqual(second.load(ordering: .relaxed), !first)
            try await expectEqual(task.value, first ? 1 : 2)
        }
    }

    /// Runs two functions on two threads, and returns the result of the first.
    private func atOnce(_ first: @Sendable () -> Bool, and second: @Sendable () -> Void) -> Bool {
        let result = Atomic(false)
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            if index == 0 { result.store(first(), ordering: .relaxed) } else { second() }
        }
        return result.load(ordering: .relaxed)
    }

    // MARK: Memory

    private struct Weak: Sendable { weak let wait: Wait<Int>? }

    private enum End: CaseIterable { case result, cancellation, none }

    @Test("Nothing keeps a wait once it is over, or if no task has waited", arguments: End.allCases)
    private func released(by end: End) async {
        let weak = await over(by: end)
        #expect(await eventually { weak.wait == nil })
    }

    private func over(by end: End) async -> Weak {
        let wait = Wait<Int>()
        if end != .none {
            let task = await begun(wait)
            if end == .result { wait.end(.success(1)) } else { task.cancel() }
            _ = await task.result
        }
        return Weak(wait: wait)
    }
}
