import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Deadlines of requests", .timeLimit(.minutes(5)))
struct RequestDeadlineTests {
    private static let passed = Deadline.now - .seconds(1)

    private func expectNothingSent(
        _ mock: MockTransport, location: SourceLocation = #_sourceLocation, _ work: () async throws -> Void
    ) async {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await work() }
        expectEqual(error?.kind, .timedOut, sourceLocation: location)
        expectEqual(error?.phase, .prepare, sourceLocation: location)
        expectEqual(error?.requestSent, false, sourceLocation: location)
        #expect(error?.url == "https://api.example.com/v1/a", sourceLocation: location)
        #expect(mock.requests.isEmpty, sourceLocation: location)
    }

    @Test(
        "A total of zero or less sends nothing",
        arguments: [Duration.zero, .seconds(-1), .nanoseconds(-1), .seconds(Int64.min)])
    func noTime(total: Duration) async throws {
        let (api, mock) = try mocked { $0.timeouts.total = total }
        await expectNothingSent(mock) { try await api.post("a", parameters: ["b": 1]) }
        await expectNothingSent(mock) { try await api.withResponse(to: .get("a")) { _ in } }
        let (other, second) = try mocked()
        await expectNothingSent(second) {
            try await other.post("a", parameters: ["b": 1]) { $0.timeouts.total = total }
        }
    }

    @Test("A total time-out of zero or less opens no connection")
    func noConnection() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let late = api.with { $0.timeouts.total = .seconds(-1) }
            let error = await #expect(throws: SternaError.self) { try await late.post("a", parameters: ["b": 1]) }
            expectEqual(error?.kind, .timedOut)
            // A later request shows that nothing was on its way.
            try await expectEqual(api.get("b").status, 204)
            expectEqual(server.acceptedConnections, 1)
            #expect(server.received(connection: 0).starts(with: "GET /b ".utf8))
        }
    }

    @Test("Other limits of zero or less are a millisecond, and do not keep the request from being sent")
    func otherLimits() async throws {
        let (api, mock) = try mocked {
            $0.timeouts.setEach(.seconds(-1))
            $0.timeouts.queue = .zero
        }
        try await api.get("a")
        expectEqual(mock.requests.count, 1)
    }

    @Test("A deadline that has passed sends nothing, with every kind of call")
    func passed() async throws {
        let (api, mock) = try mocked()
        await expectNothingSent(mock) { try await api.get("a") { $0.deadline = Self.passed } }
        await expectNothingSent(mock) { try await api.post("a", body: .text("b")) { $0.deadline = Self.passed } }
        var draft = RequestDraft.get("a")
        draft.settings.deadline = Self.passed
        await expectNothingSent(mock) { try await api.send(draft) }
        await expectNothingSent(mock) { try await api.withResponse(to: draft) { _ in } }
    }

    @Test("The earlier of the deadline and the total time-out applies")
    func earlier() async throws {
        let (api, mock) = try mocked()
        let deadline = Deadline.now + .seconds(30)
        try await api.get("a") { $0.deadline = deadline }
        expectEqual(mock.requests.last?.deadline, deadline)
        try await api.get("a") {
            $0.deadline = deadline
            $0.timeouts.total = .seconds(5)
        }
        let total = try #require(mock.requests.last?.deadline)
        #expect(total < deadline)
        try await api.get("a") { $0.deadline = Deadline(.distantFuture) }
        let usual = try #require(mock.requests.last?.deadline)
        #expect(usual < Deadline(.distantFuture))
    }

    @Test("A deadline that passes during the exchange is named in the error")
    func onTheNetwork() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead]]) { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let error = await #expect(throws: SternaError.self) {
                try await api.get("a") { $0.deadline = .now + .milliseconds(300) }
            }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.detail.contains("deadline"), true)
        }
    }

    @Test("Requests that share a deadline share the time: the second has only what the first left")
    func shared() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/slow") { _ in
                try await Task.sleep(for: .seconds(20))
                return .init(status: 204)
            }
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let deadline = Deadline.now + .milliseconds(600)
            await #expect(throws: SternaError.self) { try await api.get("slow") { $0.deadline = deadline } }
            #expect(deadline.hasPassed)
            let count = server.requestCount
            let error = await #expect(throws: SternaError.self) {
                try await api.post("post", parameters: ["a": 1]) { $0.deadline = deadline }
            }
            expectEqual(error?.phase, .prepare)
            expectEqual(server.requestCount, count)
        }
    }

    @Test("A deadline that passes before a redirect is followed sends nothing more")
    func redirect() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.networkInterceptors = [Pause()]
            }
            let error = await #expect(throws: SternaError.self) {
                try await api.get("redirect/1") { $0.deadline = .now + .milliseconds(700) }
            }
            expectEqual(error?.kind, .timedOut)
            #expect(server.requests().allSatisfy { $0.target == "/redirect/1" })
        }
    }

    /// Keeps the response of a redirect until the deadline has passed.
    private struct Pause: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            let response = try await next(request)
            while request.deadline?.hasPassed == false { try await Task.sleep(for: .milliseconds(5)) }
            return response
        }
    }
}
