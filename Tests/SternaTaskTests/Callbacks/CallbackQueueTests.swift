import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Where callbacks run")
struct CallbackQueueTests {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    @Test("Callbacks run on the main queue by default, wherever the request was made", arguments: [true, false])
    func main(fromMain: Bool) async throws {
        let (api, _) = try mocked()
        let places = Mutex<[Bool]>([])
        let log = CallbackLog<JSON>()
        let mark = Self.mark
        let begin: @Sendable () -> Void = {
            let note: @Sendable () -> Void = {
                dispatchPrecondition(condition: .onQueue(.main))
                MainActor.preconditionIsolated()
                places.withLock { $0.append(DispatchQueue.getSpecific(key: mark) == true) }
            }
            api.get(
                "a",
                progress: { task, progress in
                    note()
                    log.onProgress(task, progress)
                },
                success: { task, value in
                    note()
                    log.onSuccess(task, value)
                },
                failure: { task, error in
                    note()
                    log.onFailure(task, error)
                })
            api.get(
                "http://[", success: log.onSuccess,
                failure: { task, error in
                    note()
                    log.onFailure(task, error)
                })
        }
        if fromMain { await MainActor.run(body: begin) } else { begin() }
        await log.wait(ends: 2)
        let seen = places.withLock { $0 }
        #expect(seen.count >= 2)
        #expect(seen.allSatisfy { $0 })
        expectEqual(log.values.count, 1)
        expectEqual(log.errors.count, 1)
    }

    @Test("On a custom serial queue the callbacks of all requests run one at a time")
    func serial() async throws {
        let queue = DispatchQueue(label: "own")
        let (api, _) = try mocked { $0.callbacks = .queue(queue) }
        let log = CallbackLog<JSON>()
        let running = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        let enter: @Sendable () -> Void = {
            dispatchPrecondition(condition: .onQueue(queue))
            if running.add(1, ordering: .relaxed).oldValue != 0 { overlaps.add(1, ordering: .relaxed) }
        }
        for number in 0..<100 {
            api.get(
                number % 2 == 0 ? "a" : "http://[",
                progress: { task, progress in
                    enter()
                    running.subtract(1, ordering: .relaxed)
                },
                success: { task, value in
                    enter()
                    running.subtract(1, ordering: .relaxed)
                    log.onSuccess(task, value)
                },
                failure: { task, error in
                    enter()
                    running.subtract(1, ordering: .relaxed)
                    log.onFailure(task, error)
                })
        }
        await log.wait(ends: 100)
        expectEqual(log.values.count, 50)
        expectEqual(log.errors.count, 50)
        expectEqual(overlaps.load(ordering: .relaxed), 0)
    }

    @Test("A concurrent queue keeps the order within a request, one at a time")
    func concurrent() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "many", attributes: .concurrent)
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.callbacks = .queue(queue)
            }
            let logs = (0..<20).map { _ in CallbackLog<Int>() }
            for log in logs {
                let running = Mutex(0)
                let enter: @Sendable () -> Void = {
                    dispatchPrecondition(condition: .onQueue(queue))
                    let others = running.withLock { running in
                        defer { running += 1 }
                        return running
                    }
                    expectEqual(others, 0)
                }
                let leave: @Sendable () -> Void = { running.withLock { $0 -= 1 } }
                api.get(
                    "stream-bytes/300000", as: DataResponseSerializer().map { $0.count },
                    progress: { task, progress in
                        enter()
                        log.onProgress(task, progress)
                        leave()
                    },
                    success: { task, value in
                        enter()
                        log.onSuccess(task, value)
                        leave()
                    }, failure: log.onFailure)
            }
            for log in logs {
                await log.wait()
                expectEqual(log.values, [300_000])
                let completed = log.progress.map(\.download.completed)
                expectEqual(completed, completed.sorted())
                guard case .success = log.events.last else {
                    Issue.record("\(log.events)")
                    continue
                }
            }
        }
    }

    /// An executor that runs its jobs on a queue and counts them.
    private final class QueueExecutor: TaskExecutor {
        let queue = DispatchQueue(label: "executor")
        let jobs = Atomic<Int>(0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.add(1, ordering: .relaxed)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test("On a custom executor callbacks run in order")
    func executor() async throws {
        let executor = QueueExecutor()
        let queue = executor.queue
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.callbacks = .executor(executor)
            }
            let log = CallbackLog<Int>()
            let size = DataResponseSerializer().map { $0.count }
            api.get(
                "bytes/300000", as: size,
                progress: { task, progress in
                    dispatchPrecondition(condition: .onQueue(queue))
                    log.onProgress(task, progress)
                },
                success: { task, value in
                    dispatchPrecondition(condition: .onQueue(queue))
                    log.onSuccess(task, value)
                }, failure: log.onFailure)
            await log.wait()
            expectEqual(log.values, [300_000])
            let completed = log.progress.map(\.download.completed)
            expectEqual(completed.last, 300_000)
            expectEqual(completed, completed.sorted())
            guard case .success = log.events.last else {
                Issue.record("\(log.events)")
                return
            }
            api.get(
                "http://[", success: { _, _ in },
                failure: { task, error in
                    dispatchPrecondition(condition: .onQueue(queue))
                    log.onFailure(task, error)
                })
            await log.wait(ends: 2)
            expectEqual(log.errors.first?.kind, .invalidURL)
            #expect(executor.jobs.load(ordering: .relaxed) > 0)
        }
    }

    @Test("A derived session's queue is its own")
    func derived() async throws {
        let queue = DispatchQueue(label: "derived")
        let api = try mocked().api.with { $0.callbacks = .queue(queue) }
        let log = CallbackLog<JSON>()
        api.get(
            "a",
            success: { task, value in
                dispatchPrecondition(condition: .onQueue(queue))
                log.onSuccess(task, value)
            }, failure: log.onFailure)
        await log.wait()
        expectEqual(log.values, [[:]])
    }
}
