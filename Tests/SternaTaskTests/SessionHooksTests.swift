import Dispatch
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Hooks of tasks", .timeLimit(.minutes(5)))
struct SessionHooksTests {
    private final class Log: Sendable {
        private let all = Mutex<[String]>([])

        var events: [String] { all.withLock { $0 } }

        func add(_ event: String) { all.withLock { $0.append(event) } }

        /// All hooks that only look on.
        var hooks: SessionHooks {
            var hooks = SessionHooks()
            hooks.requestCreated = { self.add("created \($1.url.path)") }
            hooks.taskCreated = { _ in self.add("task") }
            hooks.taskResumed = { _ in self.add("resumed") }
            hooks.taskSuspended = { _ in self.add("suspended") }
            hooks.taskCancelled = { _ in self.add("cancelled") }
            hooks.metricsCollected = { self.add("metrics \($1.attempts.count)") }
            hooks.taskCompleted = { self.add("completed \($1.map { "\($0.kind)" } ?? "")") }
            hooks.responseReceived = { _, response in
                self.add("response \(response.status.code)")
                return .allow
            }
            hooks.dataReceived = { self.add("data \($1.readableBytes)") }
            hooks.downloadFinished = { self.add("file \($1.split(separator: "/").last ?? "")") }
            return hooks
        }
    }

    private func session(_ server: TestServer, _ hooks: SessionHooks) throws -> Session {
        try Session(baseURL: server.url) {
            $0.engine = Engine()
            $0.responseSerializer = .data
            $0.hooks = hooks
            $0.collectsMetrics = true
            $0.callbacks = .queue(DispatchQueue(label: "hooks"))
        }
    }

    @Test("A task, from its creation to its end, in order")
    func order() async throws {
        try await TestServer.withServer { server in
            let log = Log()
            let api = try session(server, log.hooks)
            _ = try await api.dataTask(.get("bytes/10")).value
            let met = await eventually { log.events.last == "completed " }
            #expect(met)
            expectEqual(
                log.events,
                [
                    "created /bytes/10", "task", "resumed", "response 200", "data 10", "metrics 1", "completed ",
                ])
        }
    }

    @Test("Of a download, and of a task that is cancelled before it began")
    func others() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let log = Log()
                let api = try session(server, log.hooks)
                _ = try await api.download("range/10", to: .file("\(folder)/x")).value
                #expect(await eventually { log.events.last == "completed " })
                expectEqual(
                    log.events,
                    [
                        "created /range/10", "task", "resumed", "response 200", "data 10", "file x", "metrics 1",
                        "completed ",
                    ])
                let other = Log()
                let task = try session(server, other.hooks).with { $0.startsTasks = false }.dataTask(.get("get"))
                task.cancel()
                #expect(await eventually { other.events.last == "completed cancelled" })
                expectEqual(other.events.prefix(3), ["created /get", "task", "cancelled"])
            }
        }
    }

    @Test("A silent cancel calls nothing more")
    func silent() async throws {
        try await TestServer.withServer { server in
            let log = Log()
            let task = try session(server, log.hooks).dataTask(.get("delay/60"))
            #expect(await eventually { log.events.contains("resumed") })
            task.cancel(silently: true)
            await #expect(throws: SternaError.self) { try await task.value }
            #expect(!log.events.contains { $0.hasPrefix("c") && $0 != "created /delay/60" })
        }
    }

    @Test("The disposition of a response cancels its task")
    func disposition() async throws {
        try await TestServer.withServer { server in
            var hooks = SessionHooks()
            hooks.responseReceived = { _, response in response.status == .ok ? .cancel : .allow }
            let task = try session(server, hooks).dataTask(.get("bytes/50000000"))
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A redirect is followed elsewhere, delivered or refused")
    func redirect() async throws {
        try await TestServer.withServer { server in
            var hooks = SessionHooks()
            hooks.redirect = { _, response, proposed in
                expectEqual(response.status, .found)
                switch proposed.url.query {
                case "deliver": return .deliver
                case "refuse": return .refuse
                default:
                    var changed = proposed
                    changed.headers[.userAgent] = "changed"
                    return .follow(changed)
                }
            }
            server.route("GET", "/away/{to}") { request in
                ServerResponse(status: 302, headers: ["Location": "/headers?\(request.parameters["to"] ?? "")"])
            }
            let api = try session(server, hooks)
            let followed = try await api.dataTask(.get("away/follow")).value
            let text: String = try await followed.text()
            #expect(text.contains("changed"))
            expectEqual(followed.response.redirects.count, 1)
            let delivered = api.dataTask(
                .get("away/deliver") {
                    $0.responseSerializer = DataResponseSerializer().validating(statuses: 200..<400)
                })
            try await expectEqual(delivered.value.status, 302)
            let refused = await #expect(throws: SternaError.self) { try await api.dataTask(.get("away/refuse")).value }
            expectEqual(refused?.kind, .redirectRefused)
        }
    }

    @Test("Progress is coalesced while a hook is busy, and the last is delivered")
    func coalesced() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let seen = Mutex<[Int64]>([])
                let isReleased = DispatchSemaphore(value: 0)
                var hooks = SessionHooks()
                hooks.bytesWritten = { _, progress in
                    if seen.withLock({
                        $0.append(progress.completed)
                        return $0.count
                    }) == 1 {
                        isReleased.wait()
                    }
                }
                let task = try session(server, hooks).download("range/20000000", to: .file("\(folder)/x"))
                _ = try await task.value
                isReleased.signal()
                #expect(await eventually { seen.withLock { $0.last } == 20_000_000 })
                #expect(seen.withLock { $0.count } <= 3)
            }
        }
    }

    @Test("A target that does not run keeps no task from being cancelled")
    func standstill() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "stands still")
            queue.suspend()
            defer { queue.resume() }
            var hooks = SessionHooks()
            hooks.responseReceived = { _, _ in .allow }
            let task = try session(server, hooks).with { $0.callbacks = .queue(queue) }.dataTask(.get("get"))
            #expect(await eventually { task.response != nil })
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
        }
    }

    @TaskLocal private static var trace = ""

    @Test("Hooks run on the target, with the task-local values of the creator", arguments: [0, 1, 2])
    func target(kind: Int) async throws {
        actor Home {
            var names: [String] = []
            func add(_ name: String) { names.append(name) }
        }
        try await TestServer.withServer { server in
            let (log, home) = (Log(), Home())
            var hooks = SessionHooks()
            hooks.taskCompleted = { _, _ in
                log.add(Self.trace)
                if kind == 2 { home.assumeIsolated { $0.add(Self.trace) } }
            }
            let api = try session(server, hooks).with {
                if kind == 1 { $0.callbacks = .executor(globalConcurrentExecutor) }
                if kind == 2 { $0.callbacks = .actor(home) }
            }
            let task = Self.$trace.withValue("42") { api.dataTask(.get("get")) }
            _ = try await task.value
            #expect(await eventually { log.events == ["42"] })
            if kind == 2 {
                let names = await home.names
                expectEqual(names, ["42"])
            }
        }
    }
}
