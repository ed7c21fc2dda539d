import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// The wait before a retry: what ends it, and what holds it.
@Suite("Retries: the wait", .timeLimit(.minutes(5)))
struct CallWaitTests {
    private let scene = RetryScene()

    private func make(
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> (api: Session, mock: MockTransport) {
        try scene.make(configure) { _, number in number == 0 ? RetryScene.later("10") : .json([:]) }
    }

    @Test("Ends when the Swift task is cancelled")
    func taskCancelled() async throws {
        let (api, mock) = try make()
        let work = Task { try await api.get("a") }
        await scene.time.waitForTimer(within: .seconds(10))
        work.cancel()
        let error = await #expect(throws: SternaError.self) { try await work.value }
        expectEqual(error?.kind, .cancelled)
        expectEqual(error?.phase, .wait)
        expectEqual(mock.requests.count, 1)
        expectEqual(scene.time.timerCount, 0)
    }

    @Test("Ends when the task is cancelled, when the session is, and when one above it is", arguments: 0..<3)
    func callCancelled(way: Int) async throws {
        let (api, mock) = try scene.make { _, _ in RetryScene.later("10") }
        let derived = api.with { $0.headers["X-Own"] = "1" }
        let task = derived.dataTask(.get("a"))
        let verb = Task { try await derived.get("b") { $0.retry = .transient } }
        #expect(await eventually { scene.time.timerCount == 2 })
        if way == 0 { task.cancel() } else { (way == 1 ? derived : api).invalidateAndCancel() }
        let error = await #expect(throws: SternaError.self) { try await task.value }
        if way == 0 { verb.cancel() }
        _ = await #expect(throws: SternaError.self) { try await verb.value }
        expectEqual(error?.kind, .cancelled)
        expectEqual(mock.requests.count, 2)
    }

    @Test("Stands still while its task is suspended")
    func suspended() async throws {
        let (api, mock) = try make()
        let task = api.dataTask(.get("a"))
        await scene.time.waitForTimer(within: .seconds(10))
        await scene.time.advance(by: .seconds(4))
        task.suspend()
        await scene.time.advance(by: .seconds(100))
        expectEqual(mock.requests.count, 1)
        task.resume()
        await scene.time.waitForTimer(within: .seconds(6))
        await scene.time.advance(by: .milliseconds(5_900))
        expectEqual(mock.requests.count, 1)
        await scene.time.advance(by: .milliseconds(100))
        try await expectEqual(task.value.status, 200)
        expectEqual(mock.requests.count, 2)
    }

    @Test("The wait is reported by an event")
    func events() async throws {
        let log = TaskEventLines()
        let (api, _) = try make { $0.events.observers = [log.observer()] }
        let task = api.dataTask(.get("a"))
        _ = try await scene.run { try await task.value }
        #expect(await eventually { log.lines("taskCompleted").count == 1 })
        expectEqual(log.lines("retryScheduled"), ["retryScheduled 1: status 503"])
        expectEqual(log.lines("responseReceived").count, 1)
    }
}
