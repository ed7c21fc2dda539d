import Dispatch
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Tasks: data", .timeLimit(.minutes(5)))
struct DataTaskTests {
    private func session(
        _ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            $0.callbacks = .queue(DispatchQueue(label: "test"))
            configure(&$0)
        }
    }

    @Test("Any number of Swift tasks receive the value; then the task is complete")
    func value() async throws {
        try await TestServer.withServer { server in
            let task = try session(server).dataTask(.get("bytes/300000"))
            async let first = task.value
            async let second = task.value
            try await expectEqual(first.body.readableBytes, 300_000)
            try await expectEqual(second.body.readableBytes, 300_000)
            expectEqual(task.state, .completed)
            expectNil(task.error)
            expectEqual(task.response?.status, .ok)
            expectEqual(task.progress.current.completed, 300_000)
            expectEqual(task.requests.count, 1)
            expectEqual(task.currentRequest?.url.path, "/bytes/300000")
            expectEqual(task.curl?.contains("/bytes/300000"), true)
        }
    }

    @Test("A status that the serializer rejects is the task's error")
    func rejected() async throws {
        try await TestServer.withServer { server in
            let task = try session(server).dataTask(.get("status/404"))
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .unacceptableStatus)
            expectEqual(task.error?.kind, .unacceptableStatus)
            expectEqual(task.response?.status, .notFound)
        }
    }

    @Test("A request that cannot be built makes a task that fails")
    func unbuildable() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            let task = api.dataTask(.get("ftp://example.com/"))
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .invalidURL)
            expectNil(task.originalRequest)
            #expect(api.tasks.isEmpty)
        }
    }

    @Test("A session may leave its tasks suspended: nothing is sent, and no time passes, until they are resumed")
    func suspendedStart() async throws {
        try await TestServer.withServer { server in
            let clock = TestClock()
            var options = EngineOptions()
            options.clock = clock.clock
            let api = try session(server) {
                $0.network.engine = Engine(options: options)
                $0.tasks.startsImmediately = false
            }
            let task = api.dataTask(.get("get") { $0.timeouts.total = .seconds(10) })
            expectEqual(task.state, .suspended)
            await clock.advance(by: .seconds(60))
            #expect(server.requests().isEmpty)
            task.resume()
            try await expectEqual(task.value.status, 200)
            expectEqual(server.requests().count, 1)
        }
    }

    @Test("A task is cancelled before it begins, and while it waits")
    func cancel() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            let waiting = api.dataTask(.get("delay/60"))
            let unbegun = api.with { $0.tasks.startsImmediately = false }.dataTask(.get("get"))
            expectEqual(api.tasks.count, 2)
            for task in [waiting, unbegun] {
                task.cancel()
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .cancelled)
                expectEqual(task.state, .completed)
                task.resume()
                expectEqual(task.state, .completed)
            }
            #expect(api.tasks.isEmpty)
        }
    }

    @Test("Cancelling a Swift task that awaits the value ends only its wait")
    func awaiter() async throws {
        try await TestServer.withServer { server in
            let release = Gate()
            server.holdAnswer(until: release)
            let task = try session(server).dataTask(.get("wait"))
            let wait = Task { try await task.value }
            wait.cancel()
            let error = await #expect(throws: SternaError.self) { try await wait.value }
            expectEqual(error?.kind, .cancelled)
            expectEqual(task.state, .running)
            release.open()
            try await expectEqual(task.value.status, 200)
        }
    }

    @Test("A task that was never resumed ends with its last reference")
    func dropped() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:1") { $0.tasks.startsImmediately = false }
        weak var weakTask: DataTask?
        do {
            let task = api.dataTask(.get("x"))
            weakTask = task
            expectEqual(api.tasks.count, 1)
        }
        expectNil(weakTask)
        #expect(api.tasks.isEmpty)
    }

    @Test("A task keeps the program's tag, description and values")
    func labels() throws {
        let api = try Session(baseURL: "http://127.0.0.1:1") { $0.tasks.startsImmediately = false }
        let task = api.dataTask(.get("x"))
        task.taskDescription = "first"
        task.tag = 7
        task.userInfo["row"] = 3
        expectEqual(task.taskDescription, "first")
        expectEqual(task.tag, 7)
        #expect(task.userInfo["row"] as? Int == 3)
        #expect(api.task(id: task.id) === task)
        expectNil(api.task(id: task.id + 1_000_000))
    }
}
