import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Callbacks: cancelling and releasing tasks")
struct CallbackCancelTests {
    /// A session whose requests wait until they are cancelled, and a count of those that came.
    private func waiting(_ queue: DispatchQueue) throws -> (Session, MockTransport) {
        try mocked(
            by: MockTransport { _ in
                try await Task.sleep(for: .seconds(600))
                return .json([:])
            }
        ) { $0.callbacks = .queue(queue) }
    }

    private func expectCancelled(_ log: CallbackLog<JSON>) {
        expectEqual(log.ends, 1)
        expectEqual(log.errors.first?.kind, .cancelled)
        expectEqual(log.errors.first?.method, .get)
        #expect(log.errors.first?.url == "https://api.example.com/v1/a")
    }

    @Test("Cancelled before it starts")
    func before() async throws {
        let queue = DispatchQueue(label: "test")
        let (api, _) = try waiting(queue)
        for _ in 0..<50 {
            let log = CallbackLog<JSON>()
            let task = try #require(api.get("a", success: log.onSuccess, failure: log.onFailure))
            task.cancel()
            task.cancel()
            await log.wait()
            await queue.drained()
            expectCancelled(log)
            #expect(task.isFinished)
        }
    }

    @Test("Cancelled while it waits")
    func inFlight() async throws {
        let queue = DispatchQueue(label: "test")
        let (api, mock) = try waiting(queue)
        let log = CallbackLog<JSON>()
        let task = try #require(api.get("a", success: log.onSuccess, failure: log.onFailure))
        #expect(await eventually { mock.requests.count == 1 })
        #expect(!task.isFinished)
        task.cancel()
        await log.wait()
        await queue.drained()
        expectCancelled(log)
    }

    @Test("Cancelled while the body arrives; the connection is closed")
    func inBody() async throws {
        let queue = DispatchQueue(label: "test")
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.callbacks = .queue(queue)
            }
            let log = CallbackLog<Int>()
            let task = api.get(
                "drip?numbytes=100&duration=600", as: DataResponseSerializer().map { $0.count },
                progress: { task, progress in
                    if progress.download.completed > 0 { task.cancel() }
                    log.onProgress(task, progress)
                }, success: log.onSuccess, failure: log.onFailure)
            await log.wait()
            await queue.drained()
            #expect(task != nil)
            expectEqual(log.ends, 1)
            expectEqual(log.errors.first?.kind, .cancelled)
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("Cancelled after its end, it calls nothing more")
    func after() async throws {
        let queue = DispatchQueue(label: "test")
        let (api, _) = try mocked { $0.callbacks = .queue(queue) }
        let log = CallbackLog<JSON>()
        let begun = api.get(
            "a", progress: log.onProgress,
            success: { task, value in
                task.cancel()
                log.onSuccess(task, value)
            }, failure: log.onFailure)
        let task = try #require(begun)
        await log.wait()
        task.cancel()
        await queue.drained()
        expectEqual(log.values, [[:]])
        #expect(log.errors.isEmpty)
        #expect(task.isFinished)
    }

    @Test("Whenever a task is cancelled, one callback ends it")
    func race() async throws {
        let queue = DispatchQueue(label: "test")
        let (api, _) = try mocked { $0.callbacks = .queue(queue) }
        let logs = (0..<300).map { _ in CallbackLog<JSON>() }
        for (number, log) in logs.enumerated() {
            let task = try #require(api.get("a", success: log.onSuccess, failure: log.onFailure))
            for _ in 0..<(number % 7) { await Task.yield() }
            task.cancel()
        }
        for log in logs { await log.wait() }
        await queue.drained()
        for log in logs {
            expectEqual(log.ends, 1)
            #expect(log.errors.allSatisfy { $0.kind == .cancelled })
        }
    }

    @Test("Cancelling the Swift task that created it has no effect")
    func outer() async throws {
        let (api, _) = try mocked { $0.callbacks = .queue(.global()) }
        let log = CallbackLog<JSON>()
        let outer = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            api.get("a", success: log.onSuccess, failure: log.onFailure)
        }
        await outer.value
        await log.wait()
        expectEqual(log.values, [[:]])
    }

    @Test("A task continues when its handle and its session are released")
    func letGo() async throws {
        let log = CallbackLog<JSON>()
        do {
            let (api, _) = try mocked(
                by: MockTransport { _ in
                    for _ in 0..<100 { await Task.yield() }
                    return .json([1])
                }
            ) { $0.callbacks = .queue(.global()) }
            _ = api.get("a", success: log.onSuccess, failure: log.onFailure)
        }
        await log.wait()
        expectEqual(log.values, [[1]])
    }

    /// Something that only callbacks hold.
    private final class Held: Sendable {}

    @Test("A task that has ended retains nothing", arguments: [0, 1, 2, 3])
    func released(way: Int) async throws {
        let queue = DispatchQueue(label: "test")
        let targets: [CallbackTarget] = [.queue(queue), .main, .executor(globalConcurrentExecutor), .queue(queue)]
        let (api, _) = try mocked { $0.callbacks = targets[way] }
        weak var weakTask: DataTask?
        weak var weakHeld: Held?
        let log = CallbackLog<JSON>()
        do {
            let held = Held()
            weakHeld = held
            let begun = api.get(
                "a", progress: { _, _ in withExtendedLifetime(held) {} },
                success: { task, value in withExtendedLifetime(held) { log.onSuccess(task, value) } },
                failure: { task, error in withExtendedLifetime(held) { log.onFailure(task, error) } })
            let task = try #require(begun)
            weakTask = task
            #if Foundation
            _ = task.uploadProgressObject
            _ = task.downloadProgressObject
            #endif
            if way == 3 { task.cancel() }
        }
        await log.wait()
        #expect(await eventually { weakTask == nil })
        #expect(await eventually { weakHeld == nil })
    }

    @Test("A request that could not be built retains nothing, either")
    func releasedFailure() async throws {
        let (api, _) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        weak var weakHeld: Held?
        let log = CallbackLog<JSON>()
        do {
            let held = Held()
            weakHeld = held
            api.get(
                "http://[", success: { _, _ in withExtendedLifetime(held) {} },
                failure: { task, error in withExtendedLifetime(held) { log.onFailure(task, error) } })
        }
        await log.wait()
        #expect(await eventually { weakHeld == nil })
    }
}
