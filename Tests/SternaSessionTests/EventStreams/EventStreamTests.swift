import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Event streams: connections", .timeLimit(.minutes(5)))
struct EventStreamTests {
    private static func events(_ text: String) -> ServerResponse {
        ServerResponse(headers: ["Content-Type": "text/event-stream"], body: .bytes(Array(text.utf8)))
    }

    private static let end = ServerResponse(status: 204)

    private static func session(
        _ mock: MockTransport, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: "https://api.example.com") {
            $0.network.transport = mock
            configure(&$0)
        }
    }

    private static func atOnce(_ settings: inout EventStreamSettings) {
        settings.reconnectionTime = .zero
        settings.backoff = RetryBackoff(base: .zero)
    }

    private static func read(_ stream: EventStream) async throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for try await event in stream { events.append(event) }
        return events
    }

    @Test("Events of several connections, each with the id of the last event; 204 is the end")
    func reconnects() async throws {
        let mock = MockTransport(responses: [
            Self.events("id: 1\ndata: a\n\nid: 2\nevent: b\ndata: b\n\nid: 3\ndata: unfinished\n"), Self.events(""),
            Self.events("data: c\n\nid\ndata: d\n\n"), Self.events("data: e\n\n"), Self.end,
        ])
        let stream = try Self.session(mock).events("stream", Self.atOnce)
        try await expectEqual(
            Self.read(stream),
            [
                .init(data: "a", id: "1"), .init(type: "b", data: "b", id: "2"), .init(data: "c", id: "2"),
                .init(data: "d"),
                .init(data: "e"),
            ])
        expectEqual(mock.requests.map { $0.headers[HTTPField.Name("Last-Event-ID")!] }, [nil, "2", "2", nil, nil])
        #expect(mock.requests.allSatisfy { $0.headers[.accept] == "text/event-stream" })
        #expect(mock.requests.allSatisfy { $0.headers[.cacheControl] == "no-store" })
    }

    @Test("The first request sends the id that the program kept; the program's own fields stay")
    func continued() async throws {
        let mock = MockTransport(responses: [Self.events("data: a\n\n"), Self.end])
        let stream = try Self.session(mock).events("stream", headers: ["Accept": "text/event-stream, text/plain"]) {
            Self.atOnce(&$0)
            $0.lastEventID = "é7"
        }
        try await expectEqual(Self.read(stream), [.init(data: "a", id: "é7")])
        expectEqual(mock.requests.map { $0.headers[HTTPField.Name("Last-Event-ID")!] }, ["é7", "é7"])
        expectEqual(mock.requests.first?.headers[.accept], "text/event-stream, text/plain")
    }

    @Test("A POST is sent once; its stream ends with the response")
    func post() async throws {
        let mock = MockTransport(responses: [Self.events("data: a\n\ndata: b\n\n")])
        let stream = try Self.session(mock).events(of: .post("chat", json: ["prompt": "hello"]), Self.atOnce)
        try await expectEqual(Self.read(stream).map(\.data), ["a", "b"])
        expectEqual(mock.requests.map(\.method), [.post])
    }

    @Test("A POST is sent again if the program allows it")
    func postAgain() async throws {
        let mock = MockTransport(responses: [Self.events("data: a\n\n"), Self.end])
        let stream = try Self.session(mock).events(of: .post("chat", json: ["prompt": "hello"])) {
            Self.atOnce(&$0)
            $0.reconnects = true
        }
        try await expectEqual(Self.read(stream).map(\.data), ["a"])
        expectEqual(mock.requests.map(\.method), [.post, .post])
    }

    @Test(
        "Other statuses end the stream with the server's message",
        arguments: [201, 205, 206, 299, 400, 401, 404, 429, 500, 503])
    func statuses(status: Int) async throws {
        let mock = MockTransport(responses: [
            Self.events("data: a\n\n"),
            ServerResponse(
                status: status, headers: ["Content-Type": "application/json", "Retry-After": "1"],
                body: .bytes(Array(#"{"error":{"message":"no more"}}"#.utf8))),
        ])
        let stream = try Self.session(mock).events("stream", Self.atOnce)
        var iterator = stream.makeAsyncIterator()
        try await expectEqual(iterator.next()?.data, "a")
        let error = await #expect(throws: SternaError.self) { try await iterator.next() }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.status, status)
        expectEqual(error?.serverMessage, "no more")
        expectEqual(error?.url, "https://api.example.com/stream")
        try await expectNil(iterator.next())
        expectEqual(mock.requests.count, 2)
    }

    @Test(
        "A wrong media type ends the stream, with the server's message where the type is one of messages",
        arguments: [
            ("application/json", true), ("text/plain", true), (nil, true), ("text/event-streams", false),
            ("text/x-event-stream", false),
        ] as [(String?, Bool)])
    func mediaType(type: String?, hasMessage: Bool) async throws {
        var response = ServerResponse(body: .bytes(Array(#"{"message":"overloaded"}"#.utf8)))
        if let type { response.headers["Content-Type"] = type }
        let mock = MockTransport(responses: [response])
        let error = await #expect(throws: SternaError.self) {
            try await Self.read(try Self.session(mock).events("stream", Self.atOnce))
        }
        expectEqual(error?.kind, .unacceptableMediaType)
        expectEqual(
            error?.serverMessage?.contains("overloaded"), hasMessage ? true : nil, "\(error?.description ?? "")")
    }

    @Test(
        "A stream's media type may have parameters; its text is UTF-8 whatever they say",
        arguments: [
            "text/event-stream", "text/event-stream;charset=utf-8", "text/event-stream; charset=windows-1252",
            "Text/Event-Stream", "text/event-stream;",
        ])
    func parameters(type: String) async throws {
        var response = Self.events("data: é\u{2026}\n\n")
        response.headers["Content-Type"] = type
        let mock = MockTransport(responses: [response, Self.end])
        try await expectEqual(Self.read(Self.session(mock).events("stream", Self.atOnce)), [.init(data: "é\u{2026}")])
    }

    @Test("An empty response without a media type is no event stream")
    func empty() async throws {
        let mock = MockTransport(responses: [ServerResponse()])
        let error = await #expect(throws: SternaError.self) {
            try await Self.read(try Self.session(mock).events("stream", Self.atOnce))
        }
        expectEqual(error?.kind, .unacceptableMediaType)
    }

    @Test("Chosen statuses count as a lost connection")
    func retriedStatuses() async throws {
        let mock = MockTransport(responses: [
            ServerResponse(status: 503), Self.events("data: a\n\n"), ServerResponse(status: 429), Self.end,
        ])
        let stream = try Self.session(mock).events("stream") {
            Self.atOnce(&$0)
            $0.retriedStatuses = [429, 503]
        }
        try await expectEqual(Self.read(stream).map(\.data), ["a"])
    }

    @Test("A lost connection is replaced; the failures' limit counts only those one after another")
    func failures() async throws {
        let attempts = Counter()
        let mock = MockTransport { _ in
            switch attempts.add() {
            case 3: return Self.events("data: a\n\n")
            default: throw SternaError(.connectionFailed, phase: .connect, "refused")
            }
        }
        let stream = try Self.session(mock).events("stream") {
            Self.atOnce(&$0)
            $0.failureLimit = 3
        }
        var iterator = stream.makeAsyncIterator()
        try await expectEqual(iterator.next()?.data, "a")
        let error = await #expect(throws: SternaError.self) { try await iterator.next() }
        expectEqual(error?.kind, .connectionFailed)
        expectEqual(mock.requests.count, 6)
    }

    @Test("Updates have the changes of the connection, the errors and the waits")
    func updates() async throws {
        let mock = MockTransport(responses: [
            Self.events("retry: 0\ndata: a\n\n"), ServerResponse(status: 503), Self.end,
        ])
        let stream = try Self.session(mock).events("stream") {
            $0.backoff = RetryBackoff(base: .zero)
            $0.reconnectionTime = .seconds(3_600)
            $0.retriedStatuses = [503]
        }
        var seen: [String] = []
        for try await update in stream.updates {
            switch update {
            case .opened(let response): seen.append("opened \(response.status.code)")
            case .event(let event): seen.append(event.data)
            case .reconnecting(let wait, let error): seen.append("\(wait) \(error?.status ?? 0)")
            }
        }
        expectEqual(seen, ["opened 200", "a", "0.1 seconds 0", "0.1 seconds 503"])
    }

    @Test("An event beyond a limit ends the stream with a named error")
    func limit() async throws {
        let mock = MockTransport(responses: [Self.events("data: a\n\ndata: 12345678901\n\n")])
        let stream = try Self.session(mock).events("stream") { $0.limits.event = 10 }
        var iterator = stream.makeAsyncIterator()
        try await expectEqual(iterator.next()?.data, "a")
        let error = await #expect(throws: SternaError.self) { try await iterator.next() }
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(error?.url, "https://api.example.com/stream")
        try await expectNil(iterator.next())
    }

    @Test("Each connection has the session's credentials of then, and redirects are followed")
    func credentials() async throws {
        let count = Counter()
        let mock = MockTransport { request in
            switch request.url.path {
            case "/old": return .redirect(to: "/new")
            default:
                return count.add() > 2
                    ? Self.end : Self.events("data: \(request.headers[.authorization] ?? "none")\n\n")
            }
        }
        let tokens = Counter()
        let api = try Self.session(mock) {
            $0.interceptors = [NumberedToken(tokens)]
        }
        try await expectEqual(Self.read(api.events("old", Self.atOnce)).map(\.data), ["Bearer 1", "Bearer 2"])
    }

    private struct NumberedToken: Interceptor {
        let count: Counter

        init(_ count: Counter) { self.count = count }

        func intercept(_ request: Request, next: Chain) async throws -> Response {
            var request = request
            request.headers[.authorization] = "Bearer \(count.add())"
            return try await next(request)
        }
    }

    @Test("Neither the cache nor coalescing has a part in a stream")
    func bypasses() async throws {
        let mock = MockTransport { request in
            var response = Self.events("data: a\n\n")
            response.headers["Cache-Control"] = "max-age=3600"
            return response
        }
        let api = try Self.session(mock) {
            $0.cache.store = .memory()
            $0.network.coalescesRequests = true
        }
        for _ in 0..<2 {
            let stream = api.events("stream") { $0.reconnects = false }
            try await expectEqual(Self.read(stream).map(\.data), ["a"])
        }
        expectEqual(mock.requests.count, 2)
    }
}
