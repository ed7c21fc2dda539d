import Dispatch
import Synchronization
import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Blocking work", .timeLimit(.minutes(5)))
struct BlockingWorkTests {
    private struct Own: Error, Equatable { let number: Int }

    @Test("Works that are in order run one at a time, in the order of their calls")
    func order() async throws {
        let work = BlockingWork("sterna.test", inOrder: true)
        let crowd = Crowd()
        let numbers = Mutex<[Int]>([])
        for number in 0..<500 {
            work.begin {
                crowd.enter()
                numbers.withLock { $0.append(number) }
                crowd.leave()
            }
        }
        // It runs behind all that were begun.
        let count = try await work.run { numbers.withLock { $0.count } }
        expectEqual(count, 500)
        expectEqual(numbers.withLock { $0 }, Array(0..<500))
        expectEqual(crowd.most, 1)
    }

    @Test("A thread that waits for its work waits for all works before it")
    func blocking() {
        let work = BlockingWork("sterna.test", inOrder: true)
        let numbers = Mutex<[Int]>([])
        for number in 0..<50 { work.begin { numbers.withLock { $0.append(number) } } }
        work.runBlocking { numbers.withLock { $0.append(50) } }
        expectEqual(numbers.withLock { $0 }, Array(0...50))
    }

    @Test("Other works run at the same time")
    func concurrent() async throws {
        let work = BlockingWork("sterna.test")
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let one: Void = work.run {
            first.signal()
            second.wait()
        }
        async let two: Void = work.run {
            second.signal()
            first.wait()
        }
        _ = try await (one, two)
    }

    @Test("Errors are thrown as they are, and later works run", arguments: [false, true])
    func errors(inOrder: Bool) async throws {
        let work = BlockingWork("sterna.test", inOrder: inOrder)
        await #expect(throws: Own(number: 4)) { try await work.run { throw Own(number: 4) } }
        try await expectEqual(work.run { 5 }, 5)
        await #expect(throws: Own(number: 6)) { try await BlockingWork.run { throw Own(number: 6) } }
    }

    @Test("A task that is cancelled gets the result of its work")
    func cancelled() async throws {
        let begun = Gate()
        let end = DispatchSemaphore(value: 0)
        let task = Task {
            try await BlockingWork("sterna.test").run {
                begun.open()
                end.wait()
                return 7
            }
        }
        await begun.wait()
        task.cancel()
        end.signal()
        try await expectEqual(task.value, 7)
    }

    @Test("Work with a delay begins behind it, and delays no other", arguments: [false, true])
    func delay(inOrder: Bool) async throws {
        let work = BlockingWork("sterna.test", inOrder: inOrder)
        let begun = ContinuousClock.now
        let (moments, moment) = AsyncStream<ContinuousClock.Instant>.makeStream()
        work.begin(after: .milliseconds(200)) {
            moment.yield(.now)
            moment.finish()
        }
        try await expectEqual(work.run { 1 }, 1)
        for await late in moments { #expect(late - begun >= .milliseconds(200)) }
    }
}
