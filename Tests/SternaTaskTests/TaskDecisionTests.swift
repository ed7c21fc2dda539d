import Dispatch
import NIOCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Decisions of tasks", .timeLimit(.minutes(5)))
struct TaskDecisionsTests {
    private func session(_ server: TestServer, _ decisions: TaskDecisions) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            $0.tasks.decisions = decisions
            $0.callbacks = .queue(DispatchQueue(label: "decisions"))
        }
    }

    @Test("The disposition of a response cancels its task")
    func disposition() async throws {
        try await TestServer.withServer { server in
            var decisions = TaskDecisions()
            decisions.responseReceived = { _, response in response.status == .ok ? .cancel : .allow }
            let task = try session(server, decisions).dataTask(.get("bytes/50000000"))
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A redirect is followed to another URL, delivered or rejected")
    func redirect() async throws {
        try await TestServer.withServer { server in
            var decisions = TaskDecisions()
            decisions.redirect = { _, response, proposed in
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
            let api = try session(server, decisions)
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

    /// Sets one closure each.
    private static let closures: [@Sendable (inout TaskDecisions) -> Void] = [
        { $0.redirect = { _, _, request in .follow(request) } }, { $0.needNewBody = { _, _ in nil } },
        { $0.challengeReceived = { _, _ in .useDefault } }, { $0.responseReceived = { _, _ in .allow } },
        { $0.dataReceived = { _, _ in } },
    ]

    @Test(
        "A task waits for every closure that decides, so that none of them is waited for on its own thread",
        arguments: 0..<5)
    func decides(number: Int) throws {
        var settings = SessionSettings()
        settings.tasks.decisions = TaskDecisions()
        #expect(TaskDecider(settings, nil)?.decides == false)
        var decisions = TaskDecisions()
        Self.closures[number](&decisions)
        settings.tasks.decisions = decisions
        #expect(TaskDecider(settings, nil)?.decides == true)
    }

    @Test("A target that does not run keeps no task from being cancelled")
    func standstill() async throws {
        try await TestServer.withServer { server in
            let queue = DispatchQueue(label: "stands still")
            queue.suspend()
            defer { queue.resume() }
            var decisions = TaskDecisions()
            decisions.responseReceived = { _, _ in .allow }
            let task = try session(server, decisions).with { $0.callbacks = .queue(queue) }.dataTask(.get("get"))
            #expect(await eventually { task.response != nil })
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
        }
    }

    @TaskLocal private static var trace = ""

    @Test("Decisions and callbacks run on the target, with the creator's task-local values", arguments: [0, 1, 2])
    func target(kind: Int) async throws {
        actor Home {
            var names: [String] = []
            func add(_ name: String) { names.append(name) }
        }
        try await TestServer.withServer { server in
            let (log, home) = (TaskEventLines(), Home())
            var decisions = TaskDecisions()
            decisions.responseReceived = { _, _ in
                log.add("decision \(Self.trace)")
                return .allow
            }
            let api = try session(server, decisions).with {
                if kind == 1 { $0.callbacks = .executor(globalConcurrentExecutor) }
                if kind == 2 { $0.callbacks = .actor(home) }
            }
            _ = Self.$trace.withValue("42") {
                api.get(
                    "get", as: DataResponseSerializer(),
                    success: { _, _ in
                        log.add("success \(Self.trace)")
                        if kind == 2 { home.assumeIsolated { $0.add(Self.trace) } }
                    }, failure: { _, _ in log.add("failure") })
            }
            #expect(await eventually { log.lines.count == 2 })
            expectEqual(log.lines, ["decision 42", "success 42"])
            if kind == 2 {
                let names = await home.names
                expectEqual(names, ["42"])
            }
        }
    }

    @Test("After a silent cancellation no closure is called")
    func silent() async throws {
        try await TestServer.withServer { server in
            let asked = Counter()
            var decisions = TaskDecisions()
            decisions.responseReceived = { _, _ in
                asked.add()
                return .allow
            }
            let release = Gate()
            server.holdAnswer(until: release)
            let task = try session(server, decisions).dataTask(.get("wait"))
            try await server.waitForRequests(1)
            task.cancel(silently: true)
            release.open()
            await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(asked.value, 0)
        }
    }

    @Test("Each piece of a body is taken before the next is read", arguments: [10, 3_000_000])
    func data(count: Int) async throws {
        try await TestServer.withServer { server in
            let taken = Counter()
            var decisions = TaskDecisions()
            decisions.dataReceived = { _, piece in taken.add(piece.readableBytes) }
            let task = try session(server, decisions).dataTask(.get("range/\(count)"))
            try await expectEqual(task.value.body.count, count)
            expectEqual(taken.value, count)
        }
    }
}
