import Dispatch
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Events of requests: redirects, new bodies and interceptors", .timeLimit(.minutes(5)))
struct TaskRequestEventsTests {
    private func session(
        _ server: TestServer, _ log: TaskEventLines, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = DataResponseSerializer().validating(statuses: 200..<400)
            $0.events.observers = [log.observer()]
            $0.callbacks = .queue(DispatchQueue(label: "requests"))
            configure(&$0)
        }
    }

    // MARK: Redirects

    private static let decisions: [(RedirectDecision?, RedirectPolicy, String)] = [
        (nil, .follow, "follow /bytes/3"), (.deliver, .follow, "deliver"), (.refuse, .follow, "refuse"),
    ]

    @Test("Events have the decision of the closure, or of the policy without a closure", arguments: 0..<3)
    func redirect(number: Int) async throws {
        let (decision, policy, word) = Self.decisions[number]
        try await TestServer.withServer { server in
            server.route("GET", "/away") { _ in ServerResponse(status: 302, headers: ["Location": "/bytes/3"]) }
            let log = TaskEventLines()
            let api = try session(server, log) {
                $0.redirects = policy
                var decisions = TaskDecisions()
                if let decision { decisions.redirect = { _, _, _ in decision } }
                $0.tasks.decisions = decisions
            }
            _ = try? await api.dataTask(.get("away")).value
            #expect(await eventually { log.lines.last?.hasPrefix("taskCompleted") == true })
            expectEqual(log.lines("redirectDecided"), ["redirectDecided 302 \(word)"])
        }
    }

    @Test("A redirect that the policy rejects is a decision; one that is never followed is not")
    func policies() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/loop") { _ in ServerResponse(status: 302, headers: ["Location": "/loop"]) }
            let (refused, delivered) = (TaskEventLines(), TaskEventLines())
            let api = try session(server, refused) { $0.redirects.limit = 1 }
            _ = try? await api.dataTask(.get("loop")).value
            #expect(await refused.ends(with: "taskCompleted tooManyRedirects"))
            expectEqual(
                refused.lines("redirectDecided"), ["redirectDecided 302 follow /loop", "redirectDecided 302 refuse"])
            _ = try await session(server, delivered) { $0.redirects = .doNotFollow }.dataTask(.get("loop")).value
            #expect(await delivered.ends(with: "taskCompleted"))
            expectEqual(delivered.lines("redirectDecided"), [])
        }
    }

    // MARK: Bodies

    /// A body that can be read only once.
    private static func once(_ text: String) -> Body {
        let (stream, pieces) = AsyncStream<Bytes>.makeStream()
        pieces.yield(Bytes(string: text))
        pieces.finish()
        return .stream(stream, length: Int64(text.utf8.count))
    }

    private func redirects(_ server: TestServer) {
        for (from, to) in [("/first", "/second"), ("/second", "/post")] {
            server.route("POST", from) { request in
                for try await _ in request.body {}
                return ServerResponse(status: 307, headers: ["Location": to])
            }
        }
    }

    @Test("A redirect asks for a new body each time the body was read")
    func newBody() async throws {
        try await TestServer.withServer { server in
            redirects(server)
            let log = TaskEventLines()
            let count = Mutex(0)
            let api = try session(server, log) {
                var decisions = TaskDecisions()
                decisions.needNewBody = { _, _ in
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    return Self.once("body \(number)")
                }
                $0.tasks.decisions = decisions
            }
            let reply = try await api.dataTask(.post("first", body: Self.once("body 0"))).value
            let text: String = try await reply.text()
            #expect(text.contains("body 2"))
            #expect(await log.ends(with: "taskCompleted"))
            expectEqual(
                log.lines("newBodyNeeded", "redirectDecided"),
                [
                    "newBodyNeeded /first true", "redirectDecided 307 follow /second",
                    "newBodyNeeded /second true", "redirectDecided 307 follow /post",
                ])
        }
    }

    @Test("Without a new body the redirect is refused", arguments: [false, true])
    func noBody(hasHook: Bool) async throws {
        try await TestServer.withServer { server in
            redirects(server)
            let log = TaskEventLines()
            let api = try session(server, log) {
                var decisions = TaskDecisions()
                if hasHook { decisions.needNewBody = { _, _ in nil } }
                $0.tasks.decisions = decisions
            }
            let error = await #expect(throws: SternaError.self) {
                try await api.dataTask(.post("first", body: Self.once("body"))).value
            }
            expectEqual(error?.kind, .bodyNotReplayable)
            #expect(await log.ends(with: "taskCompleted bodyNotReplayable"))
            expectEqual(
                log.lines("newBodyNeeded", "redirectDecided"),
                [
                    "newBodyNeeded /first false", "redirectDecided 307 refuse",
                ])
        }
    }

    @Test("A body that can be read again needs no closure")
    func replayable() async throws {
        try await TestServer.withServer { server in
            redirects(server)
            let log = TaskEventLines()
            _ = try await session(server, log).dataTask(.post("first", body: .text("again"))).value
            #expect(await log.ends(with: "taskCompleted"))
            #expect(log.lines("newBodyNeeded").isEmpty)
        }
    }

    // MARK: Interceptors

    private struct Failure: Error {}

    @Test("An interceptor that changes the request, or does not")
    func adapted() async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let plain = Doing { request, next in try await next(request) }
            let adapting = Doing { request, next in
                guard request.url.path != "/bytes/1" else { return try await next(request) }
                var request = request
                request.headers[.userAgent] = "adapted"
                return try await next(request)
            }
            let api = try session(server, log) {
                $0.interceptors = [plain, adapting]
            }
            _ = try await api.dataTask(.get("bytes/1")).value
            #expect(await log.ends(with: "taskCompleted"))
            #expect(log.lines("requestAdapted").isEmpty)
            _ = try await api.dataTask(.get("bytes/2")).value
            #expect(await eventually { log.lines("taskCompleted").count == 2 })
            expectEqual(log.lines("requestAdapted"), ["requestAdapted false true"])
        }
    }

    @Test("An interceptor that fails before it passes the request on, or after", arguments: [false, true])
    func failed(passesOn: Bool) async throws {
        try await TestServer.withServer { server in
            let log = TaskEventLines()
            let api = try session(server, log) {
                $0.interceptors = [
                    Doing { request, next in
                        if passesOn { _ = try await next(request) }
                        throw Failure()
                    }
                ]
            }
            _ = try? await api.dataTask(.get("bytes/1")).value
            #expect(await log.ends(with: "taskCompleted interceptorFailed"))
            expectEqual(log.lines("adaptationFailed"), passesOn ? [] : ["adaptationFailed interceptorFailed"])
        }
    }
}
