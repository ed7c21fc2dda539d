import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import SternaRecorder
import SternaSerialization
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("HAR: replayed responses", .timeLimit(.minutes(5)))
struct HARReplayedResponseTests {
    private static func entry(
        _ url: String, status: Int = 200, httpVersion: String = "HTTP/1.1", headers: [(String, String)] = [],
        content: HARDocument.Content = .init(mediaType: "text/plain", bytes: []),
        messages: [HARDocument.Message]? = nil
    ) -> HARDocument.Entry {
        var entry = HARDocument.Entry(
            started: Date(timeIntervalSince1970: 0), request: .init(method: "GET", url: url),
            response: .init(
                status: status, httpVersion: httpVersion, headers: headers.map { .init(name: $0.0, value: $0.1) },
                content: content))
        entry.webSocketMessages = messages
        return entry
    }

    private static func session(_ entries: HARDocument.Entry...) throws -> Session {
        let mock = MockTransport(replaying: HARDocument(entries: entries))
        return try Session(baseURL: "https://api.example") {
            $0.network.transport = mock
            $0.retry = .none
        }
    }

    @Test("Text is in the character set of the field if the content names none")
    func charset() async throws {
        let field = ("Content-Type", "text/plain; charset=iso-8859-1")
        let plain = HARDocument.Content(json: ["mimeType": "text/plain", "text": "é"])
        let own = HARDocument.Content(json: ["mimeType": "text/plain; charset=utf-8", "text": "é"])
        let api = try Self.session(
            Self.entry("https://api.example/a", headers: [field], content: plain),
            Self.entry("https://api.example/b", headers: [field], content: own))
        try await expectEqual(api.get("a").body.array, [0xE9])
        try await expectEqual(api.get("b").body.array, [0xC3, 0xA9])
    }

    @Test("A WebSocket that the server refused is refused again, and a failed one fails")
    func refusedWebSocket() async throws {
        let api = try Self.session(
            Self.entry("wss://api.example/refused", status: 403, messages: []),
            Self.entry("wss://api.example/failed", status: 0, messages: []))
        let refused = await #expect(throws: SternaError.self) { try await api.webSocket("refused") }
        expectEqual(refused?.kind, .unacceptableStatus)
        expectEqual(refused?.status, 403)
        let failed = await #expect(throws: SternaError.self) { try await api.webSocket("failed") }
        expectEqual(failed?.kind, .connectionClosed)
    }

    @Test(
        "A WebSocket without messages opens",
        arguments: [(101, "HTTP/1.1"), (200, "h2"), (200, "http/2.0")])
    func silentWebSocket(status: Int, version: String) async throws {
        let api = try Self.session(
            Self.entry("wss://api.example/a", status: status, httpVersion: version, messages: []))
        var count = 0
        for try await _ in try await api.webSocket("a") { count += 1 }
        expectEqual(count, 0)
    }

    @Test("A WebSocket and a plain GET of the same URL do not answer each other")
    func sameURL() async throws {
        let api = try Self.session(
            Self.entry("https://api.example/a", content: .init(mediaType: "text/plain", bytes: Array("plain".utf8))),
            Self.entry("wss://api.example/a", status: 101, messages: [.init(isSent: false, time: 0, text: "welcome")]))
        for _ in 0..<2 {
            try await expectEqual(api.get("a").body.text, "plain")
            var received: [WebSocket.Message] = []
            for try await message in try await api.webSocket("a") { received.append(message) }
            expectEqual(received, [.text("welcome")])
        }
    }

    @Test("A message that was recorded without its bytes closes the WebSocket, and no empty one takes its place")
    func omittedMessage() async throws {
        var omitted = HARDocument.Message(isSent: false, time: 0, text: "")
        omitted.json["_size"] = 2_000_000
        let api = try Self.session(
            Self.entry(
                "wss://api.example/a", status: 101,
                messages: [.init(isSent: false, time: 0, text: "welcome"), omitted]))
        let socket = try await api.webSocket("a")
        var messages = socket.makeAsyncIterator()
        try await expectEqual(messages.next(), .text("welcome"))
        let error = await #expect(throws: SternaError.self) { _ = try await messages.next() }
        expectEqual((error?.underlying as? WebSocket.Closure)?.code, .internalError)
    }

    @Test("A redirect to a path that begins with two slashes stays on the server")
    func slashes() async throws {
        let har = HARDocument(entries: [
            Self.entry("https://a.example/old", status: 302, headers: [("Location", "https://a.example//b")]),
            Self.entry("https://a.example//b", content: .init(mediaType: "text/plain", bytes: Array("of b".utf8))),
        ])
        try await TestServer.withServer { server in
            server.replay(har)
            let session = try Session { $0.network.engine = Engine() }
            let reply = try await session.get(server.url("/old"))
            expectEqual(reply.body.text, "of b")
        }
    }

    @Test("A redirect that was recorded without content is sent without content")
    func emptyRedirect() async throws {
        let missing = HARDocument.Content(json: ["mimeType": "text/html", "size": 120])
        let api = try Self.session(
            Self.entry("https://api.example/a", status: 302, headers: [("Location", "/b")], content: missing),
            Self.entry("https://api.example/b", content: .init(mediaType: "text/plain", bytes: Array("end".utf8))))
        try await expectEqual(api.get("a").body.text, "end")
    }

    @Test("Digests of coded content are left out, and empty fields are kept")
    func fields() async throws {
        let api = try Self.session(
            Self.entry(
                "https://api.example/a",
                headers: [
                    ("Content-Encoding", "gzip"), ("Repr-Digest", "sha-256=:AA==:"),
                    ("Content-Digest", "sha-256=:AA==:"),
                    ("X-Empty", ""),
                ], content: .init(mediaType: "text/plain", bytes: Array("text".utf8))))
        let reply = try await api.get("a")
        expectEqual(reply.headers.map(\.name.canonicalName), ["x-empty"])
        expectEqual(reply.headers.first?.value, "")
    }

    @Test("Requests with secrets are compared without a look at responses, and repeated entries answer in order")
    func many() async throws {
        // Redacting all responses for each request would take longer than the suite may.
        let long = HARDocument.Content(
            mediaType: "application/json",
            bytes: Array("[\(String(repeating: "{\"a\":1},", count: 25_000))0]".utf8))
        let count = 200
        var entries: [HARDocument.Entry] = []
        for number in 0..<count {
            let body = HARDocument.Content(
                mediaType: "application/json", bytes: Array("{\"n\":\(number),\"password\":\"***\"}".utf8))
            for turn in ["first", "second"] {
                entries.append(
                    HARDocument.Entry(
                        started: Date(timeIntervalSince1970: 0),
                        request: .init(method: "POST", url: "https://api.example/a", postData: body),
                        response: .init(status: 200, headers: [.init(name: "X-Turn", value: turn)], content: long)))
            }
        }
        let mock = MockTransport(replaying: HARDocument(entries: entries))
        let api = try Session(baseURL: "https://api.example") {
            $0.network.transport = mock
            $0.retry = .none
        }
        let name = try #require(HTTPField.Name("X-Turn"))
        for turn in ["first", "second", "second"] {
            for number in 0..<count {
                let reply = try await api.post(
                    "a", body: .text("{\"n\":\(number),\"password\":\"p\"}", mediaType: "application/json"))
                guard reply.headers[name] == turn else {
                    Issue.record("\(number): \(reply.headers)")
                    return
                }
            }
        }
    }
}
