import Dispatch
import NIOCore
import NIOPosix
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Tasks: without await", .timeLimit(.minutes(5)))
struct SynchronousTaskTests {
    /// A thread's situation, and a part of the refusal; nil where it may block.
    struct Case: Sendable, CustomTestStringConvertible {
        let rule: BlockingRule
        let refusal: String?

        var testDescription: String { "\(rule)" }
    }

    static let cases = [
        Case(rule: BlockingRule(), refusal: nil),
        Case(rule: BlockingRule(isMain: true), refusal: nil),
        Case(rule: BlockingRule(isInSwiftTask: true, isMain: true), refusal: nil),
        Case(rule: BlockingRule(waitsForMain: true), refusal: nil),
        Case(rule: BlockingRule(isOnEventLoop: true), refusal: "event loop"),
        Case(rule: BlockingRule(isOnEventLoop: true, isMain: true), refusal: "event loop"),
        Case(rule: BlockingRule(isInSwiftTask: true), refusal: "Swift task"),
        Case(rule: BlockingRule(isInSwiftTask: true, waitsForMain: true), refusal: "Swift task"),
        Case(rule: BlockingRule(isMain: true, waitsForMain: true), refusal: "main thread"),
        Case(rule: BlockingRule(isInSwiftTask: true, isMain: true, waitsForMain: true), refusal: "main thread"),
    ]

    @Test("Threads that may block", arguments: cases)
    func rule(item: Case) {
        let refusal = item.rule.refusal(of: "x()")
        expectEqual((refusal == nil), (item.refusal == nil))
        if let expected = item.refusal { expectEqual(refusal?.message.contains(expected), true) }
    }

    /// Runs work on a thread of its own.
    private func onThread<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "test.synchronous").async { continuation.resume(with: Result { try work() }) }
        }
    }

    @Test(
        "A thread blocks until the value is available, whether or not the task was started", arguments: [false, true])
    func value(isStarted: Bool) async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.tasks.startsImmediately = isStarted
            }
            let count = try await onThread { try api.dataTask(.get("get?a=1")).startSynchronous().json()["args"]["a"] }
            expectEqual(count, "1")
            try await Downloading.withFolder { folder in
                let file = try await onThread {
                    try api.download("bytes/9", to: .file(folder + "/a")).startSynchronous()
                }
                expectEqual(file.length, 9)
            }
            let twice = try await onThread {
                let task = api.dataTask(.get("get"))
                return [try task.startSynchronous().status, try task.startSynchronous().status]
            }
            expectEqual(twice, [200, 200])
        }
    }

    @Test("The call throws the task's error")
    func failure() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json([:], status: 500) })
        let error = await #expect(throws: SternaError.self) {
            try await onThread { try api.dataTask(.get("a")).startSynchronous() }
        }
        expectEqual(error?.kind, .unacceptableStatus)
    }

    // A synchronous function may call what an asynchronous one may not.
    private func start(_ task: DataTask) throws -> Reply { try task.startSynchronous() }

    @Test("The call fails in a Swift task and on an event loop, without effect on the task")
    func refused() async throws {
        let (api, mock) = try mocked { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("a"))
        let inTask = #expect(throws: SternaError.self) { try start(task) }
        expectEqual(inTask?.kind, .invalidRequest)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let onLoop = await #expect(throws: SternaError.self) {
            _ = try await group.next().submit { try start(task) }.get()
        }
        expectEqual(onLoop?.message.contains("event loop"), true)
        try await group.shutdownGracefully()
        expectEqual(task.state, .suspended)
        #expect(mock.requests.isEmpty)
        task.cancel()
    }

    @Test("A decision closure on another queue runs while the thread blocks")
    func decision() async throws {
        let asked = Mutex(0)
        let (api, _) = try mocked { settings in
            settings.callbacks = .queue(DispatchQueue(label: "test.decisions"))
            settings.tasks.decisions = TaskDecisions()
            settings.tasks.decisions?.responseReceived = { _, _ in
                asked.withLock { $0 += 1 }
                return .allow
            }
        }
        try await expectEqual(onThread { try api.dataTask(.get("a")).startSynchronous().status }, 200)
        expectEqual(asked.withLock { $0 }, 1)
    }

    @Test("Which callbacks run on the main queue")
    func targets() {
        #expect(BlockingRule.isMain(.main))
        #expect(BlockingRule.isMain(.queue(.main)))
        #expect(BlockingRule.isMain(.actor(MainActor.shared)))
        #expect(!BlockingRule.isMain(.queue(DispatchQueue(label: "test"))))
        #expect(!BlockingRule.isMain(.queue(.global())))
    }

    @Test("The main actor counts as the main thread") @MainActor
    func mainActor() {
        #expect(BlockingRule.here().isMain)
        #expect(BlockingRule.here().isInSwiftTask)
    }
}
