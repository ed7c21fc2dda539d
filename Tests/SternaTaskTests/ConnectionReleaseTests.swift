import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Tasks: a suspended task gives up its connection for a waiting request", .timeLimit(.minutes(5)))
struct ConnectionReleaseTests {
    /// A session with one connection, or over HTTP/2 to a server that takes one stream at a time.
    private func session(_ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }) throws
        -> Session
    {
        var options = EngineOptions()
        options.maximumConnectionsPerOrigin = 1
        return try Session(baseURL: server.url) {
            $0.network.engine = Engine(options: options)
            $0.responseSerializer = .data
            configure(&$0)
        }
    }

    private func withServer(http2: Bool, _ work: (TestServer) async throws -> Void) async throws {
        var options = TestServer.Options(http2: .byPriorKnowledge)
        options.http2Settings.maximumConcurrentStreams = 1
        try await TestServer.withServer(http2 ? options : TestServer.Options(), work)
    }

    private func waitForWaiting(_ count: Int, _ session: Session) async throws {
        while await session.plan.settings.network.engine.statistics().origins.reduce(0, { $0 + $1.waiting }) != count {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    enum Order: CaseIterable {
        case suspendedFirst, requestFirst
    }

    @Test("A download continues with a range request", arguments: [false, true], Order.allCases)
    func download(http2: Bool, order: Order) async throws {
        let count = 20_000_000
        try await withServer(http2: http2) { server in
            try await Downloading.withFolder { folder in
                server.holdBody(of: count, until: Gate())
                let api = try session(server) { $0.network.http2 = http2 ? .priorKnowledge : .off }
                let task = api.download("held", to: .file("\(folder)/x"))
                for await step in task.progress where step.completed > 1_000_000 { break }
                if order == .suspendedFirst { task.suspend() }
                async let other = api.get("bytes/10")
                if order == .requestFirst {
                    try await waitForWaiting(1, api)
                    task.suspend()
                }
                try await expectEqual(other.body.count, 10)
                expectEqual(task.state, .suspended)
                task.resume()
                let file = try await task.value
                try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(count))
                expectEqual(task.requests.count, 2)
                expectEqual(task.requests.last?.headers[.range]?.hasPrefix("bytes="), true)
            }
        }
    }

    @Test("A download without a validator keeps its connection")
    func withoutValidator() async throws {
        try await withServer(http2: false) { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.route("GET", "/plain") { _ in
                    ServerResponse(
                        body: .stream(length: 200_000) { writer in
                            try await writer.write([UInt8](repeating: 0x61, count: 100_000))
                            await release.wait()
                            try await writer.write([UInt8](repeating: 0x61, count: 100_000))
                        })
                }
                let api = try session(server)
                let task = api.download("plain", to: .file("\(folder)/x"))
                for await step in task.progress where step.completed > 0 { break }
                task.suspend()
                async let other = api.get("bytes/10")
                try await waitForWaiting(1, api)
                release.open()
                task.resume()
                try await expectEqual(task.value.length, 200_000)
                expectEqual(task.requests.count, 1)
                try await expectEqual(other.body.count, 10)
            }
        }
    }

    @Test("A GET of a data task that is not observed starts again", arguments: [false, true])
    func collected(http2: Bool) async throws {
        let count = 20_000_000
        try await withServer(http2: http2) { server in
            let release = Gate()
            server.holdBody(of: count, until: release)
            let api = try session(server) { $0.network.http2 = http2 ? .priorKnowledge : .off }
            let task = api.dataTask(.get("held"))
            for await step in task.progress where step.completed > 1_000_000 { break }
            task.suspend()
            try await expectEqual(api.get("bytes/10").body.count, 10)
            release.open()
            task.resume()
            try await expectEqual(task.value.body.count, count)
            expectEqual(task.requests.count, 2)
        }
    }

    @Test("A task that waits for its response's head starts again")
    func unanswered() async throws {
        try await withServer(http2: false) { server in
            let release = Gate()
            server.holdAnswer(until: release)
            let api = try session(server)
            let task = api.dataTask(.get("wait"))
            try await server.waitForRequests(1)
            task.suspend()
            try await expectEqual(api.get("bytes/10").body.count, 10)
            release.open()
            task.resume()
            try await expectEqual(task.value.body.count, 1)
            expectEqual(task.requests.count, 2)
        }
    }

    @Test("A task that is suspended at once does not block other requests")
    func suspendedAtOnce() async throws {
        try await withServer(http2: false) { server in
            let api = try session(server)
            for _ in 0..<20 {
                let task = api.dataTask(.get("bytes/20"))
                task.suspend()
                // Either it has sent its request and gives its connection up, or it waits.
                try await expectEqual(api.get("bytes/10").body.count, 10)
                task.resume()
                try await expectEqual(task.value.body.count, 20)
            }
        }
    }

    /// What would be noticed if the request were sent again.
    enum Watcher: CaseIterable {
        case interceptor, networkInterceptor, decision, observer, metrics, method, stream
    }

    private struct Passing: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            try await next(request)
        }
    }

    @Test("A task that is observed, or sends a body, keeps its connection", arguments: Watcher.allCases)
    func kept(watcher: Watcher) async throws {
        try await withServer(http2: false) { server in
            let release = Gate()
            server.holdAnswer(until: release)
            server.route("POST", "/wait") { _ in
                await release.wait()
                return ServerResponse(body: .bytes([0x61]))
            }
            let api = try session(server) {
                switch watcher {
                case .interceptor: $0.interceptors = [Passing()]
                case .networkInterceptor: $0.networkInterceptors = [Passing()]
                case .decision:
                    var decisions = TaskDecisions()
                    decisions.responseReceived = { _, _ in .allow }
                    $0.tasks.decisions = decisions
                case .observer: $0.events.observers = [EventObserver { _ in }]
                case .metrics: $0.events.collectsMetrics = true
                case .method, .stream: break
                }
            }
            let task: SessionTask =
                switch watcher {
                case .method: api.dataTask(.post("wait"))
                case .stream: api.streamTask(.get("wait"))
                default: api.dataTask(.get("wait"))
                }
            try await server.waitForRequests(1)
            task.suspend()
            async let other = api.get("bytes/10")
            try await waitForWaiting(1, api)
            expectEqual(server.requests().count, 1)
            release.open()
            task.resume()
            if let task = task as? DataTask { try await expectEqual(task.value.body.count, 1) }
            if let task = task as? DataStreamTask { for try await _ in task.bytes {} }
            expectEqual(task.requests.count, 1)
            try await expectEqual(other.body.count, 10)
        }
    }

    @Test("Only as many tasks as requests wait give up connections, also at the engine's limit")
    func several() async throws {
        try await withServer(http2: false) { server in
            try await TestServer.withServer { elsewhere in
                let release = Gate()
                server.holdAnswer(until: release)
                var options = EngineOptions()
                options.maximumConnections = 4
                let api = try Session(baseURL: server.url) {
                    $0.network.engine = Engine(options: options)
                    $0.responseSerializer = .data
                    $0.network.allowsOtherOrigins = true
                }
                let tasks = (0..<4).map { _ in api.dataTask(.get("wait")) }
                try await server.waitForRequests(4)
                for task in tasks { task.suspend() }
                try await expectEqual(api.get("\(elsewhere.url)/bytes/10").body.count, 10)
                release.open()
                let given = tasks.filter { $0.gate.releases > 0 }
                expectEqual(given.count, 1)
                // Resumed, it may ask for the connection of another one that is still suspended.
                for task in tasks where task.gate.releases == 0 { task.resume() }
                for task in given { task.resume() }
                for task in tasks { try await expectEqual(task.value.body.count, 1) }
            }
        }
    }

    @Test("Suspended streams of one connection hold 16 MiB at most")
    func memory() async throws {
        let (count, most) = (600_000, 100)
        try await TestServer.withServer(TestServer.Options(http2: .byPriorKnowledge)) { server in
            let release = Gate()
            server.route("GET", "/piece") { _ in
                ServerResponse(
                    body: .stream(length: count) { writer in
                        try await writer.write([0x61])
                        await release.wait()
                        try await writer.write([UInt8](repeating: 0x61, count: count - 1))
                    })
            }
            let api = try session(server) { $0.network.http2 = .priorKnowledge }
            var tasks: [DataTask] = []
            for _ in 0..<most {
                let task = api.dataTask(.get("piece"))
                for await step in task.progress where step.completed > 0 { break }
                task.suspend()
                tasks.append(task)
            }
            // The rest comes as far as the windows let it.
            release.open()
            while tasks.filter({ $0.gate.releases > 0 }).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            for task in tasks { task.resume() }
            for task in tasks { try await expectEqual(task.value.body.count, count) }
            let again = tasks.filter { $0.requests.count == 2 }.count
            #expect(again > 0 && again < most)
        }
    }
}
