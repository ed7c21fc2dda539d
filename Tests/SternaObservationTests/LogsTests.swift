import Dispatch
import HTTPTypes
import InMemoryLogging
import Logging
import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The lines of calls, tasks and sessions.
@Suite("Logs: sessions", .timeLimit(.minutes(5)))
struct LogsTests {
    /// Makes a session with an engine of its own that logs.
    private func session(
        _ server: TestServer, _ logs: LogLines, _ families: SternaEvent.Families = .network,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.events.log(families, to: logs.logger)
            configure(&$0)
        }
    }

    @Test("A call over a new connection, and one over the same connection")
    func call() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines()
            let api = try session(server, logs)
            _ = try await api.get("get", parameters: ["page": 2])
            await api.flushEvents()
            expectEqual(
                logs.lines.filter { $0 != "trace Host resolved" },
                [
                    "debug Request began", "debug Attempt began", "trace Connected", "trace Connection acquired",
                    "trace Request sent", "debug Response began", "trace Response ended", "debug Request ended",
                ])
            let end = try #require(logs.first("Request ended"))
            expectEqual(end["http.request.method"], "GET")
            expectEqual(end["url.full"], "\(server.url("/get?page=2"))")
            expectEqual(end["http.response.status_code"], "200")
            expectEqual(end["sterna.source"], "network")
            expectEqual(end["sterna.attempts"], "1")
            expectNil(end["sterna.response.body"])
            expectEqual(logs.first("Connected")?["network.peer.port"], "\(server.port)")
            expectEqual(Set(logs.values("sterna.call")).count, 1)
            let before = logs.lines.count
            _ = try await api.get("get")
            await api.flushEvents()
            expectEqual(
                Array(logs.lines.dropFirst(before)),
                [
                    "debug Request began", "debug Attempt began", "trace Connection acquired", "trace Request sent",
                    "debug Response began", "trace Response ended", "debug Request ended",
                ])
            expectEqual(logs.values("sterna.connection.reused"), ["false", "true"])
        }
    }

    @Test("A transport of the session's own has no attempts")
    func transport() async throws {
        let logs = LogLines()
        let (api, _) = try mocked { $0.events.log(to: logs.logger) }
        _ = try await api.get("users")
        await api.flushEvents()
        expectEqual(logs.lines, ["debug Request began", "debug Request ended"])
        expectEqual(logs.values("sterna.attempts"), ["0"])
    }

    @Test("A failed dial")
    func dial() async throws {
        let port = try ClosedPort()
        let logs = LogLines(.debug)
        let api = try Session(baseURL: "http://127.0.0.1:\(port.port)") {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.events.log(to: logs.logger)
        }
        await #expect(throws: SternaError.self) { try await api.get("a") }
        await api.flushEvents()
        expectEqual(
            logs.lines,
            ["debug Request began", "debug Attempt began", "debug Attempt failed", "warning Request failed"])
        expectEqual(logs.values("error.type"), ["connectionFailed", "connectionFailed"])
        expectEqual(logs.values("sterna.error").count, 2)
    }

    @Test("A cancelled call is no warning")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let (logs, gate) = (LogLines(.debug), Gate())
            server.holdAnswer(until: gate)
            let api = try session(server, logs)
            let work = Task { try await api.get("wait") }
            try await server.waitForRequests(1)
            work.cancel()
            await #expect(throws: SternaError.self) { try await work.value }
            gate.open()
            await api.flushEvents()
            expectEqual(
                logs.lines,
                ["debug Request began", "debug Attempt began", "debug Attempt failed", "debug Request cancelled"])
            expectEqual(logs.values("error.type"), ["cancelled", "cancelled"])
        }
    }

    @Test("A status that the serializer rejects")
    func status() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines(.debug)
            let api = try session(server, logs)
            await #expect(throws: SternaError.self) { try await api.get("status/404") }
            await api.flushEvents()
            expectEqual(
                logs.lines,
                ["debug Request began", "debug Attempt began", "debug Response began", "warning Request failed"])
            let end = try #require(logs.first("Request failed"))
            expectEqual(end["http.response.status_code"], "404")
            expectEqual(end["error.type"], "unacceptableStatus")
        }
    }

    @Test("A refused redirect: its target's token is hidden")
    func redirect() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines()
            server.route("GET", "/away") { _ in .redirect(to: "ftp://u:pa55@b.test/x?token=hidden") }
            let api = try session(server, logs)
            let error = await #expect(throws: SternaError.self) { try await api.get("away") }
            expectEqual(error?.kind, .redirectRefused)
            await api.flushEvents()
            expectEqual(logs.lines.filter { !$0.hasPrefix("trace") }.last, "warning Request failed")
            expectEqual(logs.first("Request failed")?["error.type"], "redirectRefused")
            expectEqual(logs.first("Request failed")?["http.response.status_code"], "302")
            #expect(!logs.text.contains("hidden") && !logs.text.contains("pa55"))
        }
    }

    @Test("A followed redirect is another attempt of the same call")
    func followed() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines(.debug)
            server.route("GET", "/old") { _ in .redirect(to: "/get?token=hidden") }
            let api = try session(server, logs)
            _ = try await api.get("old")
            await api.flushEvents()
            expectEqual(
                logs.lines,
                [
                    "debug Request began", "debug Attempt began", "debug Response began", "debug Attempt began",
                    "debug Response began", "debug Request ended",
                ])
            expectEqual(logs.values("sterna.reason"), ["first", "redirect"])
            expectEqual(logs.values("sterna.attempt"), ["1", "1", "2", "2", "2"])
            #expect(!logs.text.contains("hidden"))
        }
    }

    @Test("A retry")
    func retry() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines(.debug)
            let count = Mutex(0)
            server.route("GET", "/busy") { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number == 1 ? .text("busy", status: 503) : .json([:])
            }
            let api = try session(server, logs) {
                $0.retry = .transient
                $0.retry.backoff = .constant(.milliseconds(1))
            }
            _ = try await api.get("busy")
            await api.flushEvents()
            expectEqual(
                logs.lines,
                [
                    "debug Request began", "debug Attempt began", "debug Response began", "debug Retry scheduled",
                    "debug Attempt began", "debug Response began", "debug Request ended",
                ])
            expectEqual(logs.values("sterna.retry.delay"), ["0.001000"])
        }
    }

    @Test("A response of the cache has no attempt")
    func cacheHit() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines(.debug)
            server.route("GET", "/kept") { _ in .json(["a": 1], headers: ["Cache-Control": "max-age=600"]) }
            let api = try session(server, logs) { $0.cache.store = .memory() }
            _ = try await api.get("kept")
            await api.flushEvents()
            let before = logs.lines.count
            _ = try await api.get("kept")
            await api.flushEvents()
            expectEqual(Array(logs.lines.dropFirst(before)), ["debug Request began", "debug Request ended"])
            expectEqual(logs.values("sterna.source"), ["network", "cache"])
            expectEqual(logs.values("sterna.attempts"), ["1", "0"])
        }
    }

    @Test("Of coalesced calls only the first has an attempt")
    func coalesced() async throws {
        try await TestServer.withServer { server in
            let (logs, gate) = (LogLines(.debug), Gate())
            server.holdAnswer(until: gate)
            let api = try session(server, logs) {
                $0.network.coalescesRequests = true
                $0.responseSerializer = .data
            }
            let calls = (0..<2).map { _ in Task { try await api.get("wait") } }
            let transfers = api.plan.builder.coalescing.transfers
            #expect(await eventually { transfers.readers == 2 })
            gate.open()
            for call in calls { _ = try await call.value }
            await api.flushEvents()
            expectEqual(
                logs.lines.sorted(),
                [
                    "debug Attempt began", "debug Request began", "debug Request began", "debug Request ended",
                    "debug Request ended", "debug Response began",
                ])
            expectEqual(logs.values("sterna.attempts").sorted(), ["0", "1"])
            expectEqual(Set(logs.values("sterna.call")).count, 2)
        }
    }

    @Test("A hedged call has two attempts; the loser's failure is no warning")
    func hedged() async throws {
        try await TestServer.withServer { server in
            let (logs, held, time) = (LogLines(.debug), Gate(), TestClock())
            let count = Mutex(0)
            server.route("GET", "/late") { _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { await held.wait() }
                return .text("done")
            }
            let api = try session(server, logs) {
                var options = EngineOptions()
                options.clock = time.clock
                $0.network.engine = Engine(options: options)
                $0.responseSerializer = .text
                $0.network.hedging = HedgingPolicy(after: .fixed(.milliseconds(50)), budget: nil)
            }
            let work = Task { try await api.get("late") }
            #expect(await eventually { count.withLock { $0 } == 1 })
            await time.advance(by: .milliseconds(50))
            _ = try await work.value
            held.open()
            await api.flushEvents()
            expectEqual(logs.values("sterna.reason"), ["first", "hedge"])
            expectEqual(logs.values("error.type"), ["cancelled"])
            #expect(!logs.text.contains("warning"))
            expectEqual(logs.lines.last, "debug Request ended")
            expectEqual(logs.first("Request ended")?["http.response.status_code"], "200")
        }
    }

    @Test("Tasks have their own lines, if asked")
    func tasks() async throws {
        let logs = LogLines(.debug)
        let (api, _) = try mocked { $0.events.log(.all, to: logs.logger) }
        _ = try await api.dataTask(.get("users")).value
        api.finishTasksAndInvalidate()
        #expect(await eventually { logs.lines.last == "debug Session invalidated" })
        expectEqual(
            logs.lines,
            [
                "debug Task created", "debug Task resumed", "debug Request began", "debug Response received",
                "debug Request ended", "debug Task completed", "debug Session invalidated",
            ])
        expectEqual(Set(logs.values("sterna.call")).count, 1)
    }

    @Test("A task that fails is a warning of the task and of its call")
    func failedTask() async throws {
        let logs = LogLines(.debug)
        let (api, _) = try mocked(by: MockTransport { _ in .json([:], status: 500) }) {
            $0.retry = .none
            $0.events.log(.all, to: logs.logger)
        }
        await #expect(throws: SternaError.self) { try await api.dataTask(.get("users")).value }
        await api.flushEvents()
        expectEqual(logs.lines.filter { $0.hasPrefix("warning") }, ["warning Request failed", "warning Task failed"])
    }

    @Test("Dropped events are a line")
    func dropped() async throws {
        let (logs, release) = (LogLines(.debug), DispatchSemaphore(value: 0))
        let isFirst = Mutex(true)
        // Holds the first event until all calls are over: at most four are delivered with it, and four wait.
        let holding = EventObserver { _ in
            let holds = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if holds { release.wait() }
        }
        let (api, _) = try mocked {
            $0.events.observers = [holding]
            $0.events.capacity = 4
            $0.events.log(to: logs.logger)
        }
        for _ in 0..<11 { _ = try await api.get("a") }
        release.signal()
        await api.flushEvents()
        let isComplete = await eventually {
            let lost = logs.values("sterna.dropped").compactMap { Int($0) }.reduce(0, +)
            return lost > 0 && lost + logs.lines.count { $0.hasPrefix("debug Request") } == 22
        }
        #expect(isComplete, "\(logs.text)")
        #expect(logs.lines.contains("warning Events dropped"))
    }

    // MARK: Loggers

    @Test("A call is logged by the logger of the task that makes it, with its metadata")
    func current() async throws {
        let logs = LogLines(.debug)
        let (api, _) = try mocked { $0.events.log() }
        for id in ["a", "b"] {
            var logger = logs.logger
            logger[metadataKey: "request-id"] = "\(id)"
            try await withLogger(logger) { _ in _ = try await api.get("users") }
        }
        await api.flushEvents()
        expectEqual(logs.values("request-id"), ["a", "a", "b", "b"])
    }

    @Test("The metadata provider is asked in the caller's task, for the call and for each attempt")
    func provider() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines(.debug, provider: Span.provider)
            server.route("GET", "/old") { _ in .redirect(to: "/get") }
            let api = try session(server, logs) { $0.networkInterceptors = [SpanInterceptor()] }
            try await Span.$current.withValue("server") { _ = try await api.get("old") }
            await api.flushEvents()
            expectEqual(
                logs.entries.map { "\($0.message): \($0.metadata["span"] ?? "")" },
                [
                    "Request began: server", "Attempt began: attempt 1", "Response began: attempt 1",
                    "Attempt began: attempt 2", "Response began: attempt 2", "Request ended: server",
                ])
        }
    }

    @Test("The session's logger has what belongs to no call")
    func sessionLogger() async throws {
        let logs = LogLines(.debug)
        let api = try withLogger(logs.logger) { _ in try mocked { $0.events.log(.tasks) }.api }
        api.finishTasksAndInvalidate()
        #expect(await eventually { logs.lines == ["debug Session invalidated"] })
    }

    @Test("A second use replaces the first, in a derived session, too")
    func replaced() async throws {
        let (first, second) = (LogLines(.debug), LogLines(.debug))
        let (api, _) = try mocked { $0.events.log(to: first.logger) }
        let derived = api.with { $0.events.log(to: second.logger) }
        _ = try await derived.get("a")
        await api.flushEvents()
        expectEqual(first.lines, [])
        expectEqual(second.lines, ["debug Request began", "debug Request ended"])
        _ = try await api.get("a")
        await api.flushEvents()
        expectEqual(first.lines, ["debug Request began", "debug Request ended"])
        expectEqual(second.lines.count, 2)
    }

    // MARK: Cost

    @Test("Nothing is recorded for a logger that does not want debug", arguments: [false, true])
    func info(isCurrent: Bool) async throws {
        let logs = LogLines(.info)
        let recorders = Mutex<[Bool]>([])
        let mock = MockTransport { request in
            recorders.withLock { $0.append(request.recorder != nil) }
            return .json([:])
        }
        let (api, _) = try mocked(by: mock) { $0.events.log(.all, to: isCurrent ? nil : logs.logger) }
        try await withLogger(logs.logger) { _ in
            _ = try await api.get("a")
            let task = api.dataTask(.get("b"))
            _ = try await task.value
            expectNil(task.events)
        }
        await api.flushEvents()
        expectEqual(logs.lines, [])
        expectEqual(recorders.withLock { $0 }, [false, false])
    }

    @Test("Events of another observer are no lines of a logger that does not want them")
    func otherObserver() async throws {
        let (logs, log) = (LogLines(.info), EventLog())
        let (api, _) = try mocked {
            $0.events.observers = [log.observer]
            $0.events.log(.all, to: logs.logger)
        }
        _ = try await api.get("a")
        await api.flushEvents()
        expectEqual(log.events.map(\.kind.name), ["requestBegan", "requestEnded"])
        expectEqual(logs.lines, [])
    }

    @Test("A failure is a line without events, once, and a cancellation is none")
    func failureOnly() async throws {
        let logs = LogLines(.warning)
        let (api, _) = try mocked(by: MockTransport { _ in .json([:], status: 500) }) {
            $0.retry = .none
            $0.events.log(to: logs.logger)
        }
        await #expect(throws: SternaError.self) { try await api.get("a?token=hidden") }
        await #expect(throws: SternaError.self) { try await api.dataTask(.get("b")).value }
        expectEqual(logs.lines, ["warning Request failed", "warning Request failed"])
        let first = try #require(logs.entries.first?.metadata)
        expectEqual(first["http.response.status_code"], "500")
        expectEqual(first["error.type"], "unacceptableStatus")
        expectEqual(first["url.full"], "https://api.example.com/v1/a?token=***")
        let slow = try mocked(by: MockTransport { _ in throw CancellationError() }) {
            $0.events.log(to: logs.logger)
        }
        await #expect(throws: SternaError.self) { try await slow.api.get("a") }
        expectEqual(logs.lines.count, 2)
    }
}

/// A span of a tracer, as a metadata provider shows it.
private enum Span {
    @TaskLocal static var current: String?

    static let provider = Logger.MetadataProvider { Span.current.map { ["span": "\($0)"] } ?? [:] }
}

/// Runs each attempt in a span of its own.
private struct SpanInterceptor: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let number = (request.call?.attempts ?? 0) + 1
        return try await Span.$current.withValue("attempt \(number)") { try await next(request) }
    }
}
