import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import SternaRecorder
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("HAR: replay", .timeLimit(.minutes(5)))
struct HARReplayTests {
    private static func entry(
        _ method: String, _ url: String, type: String = "", body: String? = nil, status: Int = 200,
        headers: [(String, String)] = [], content: String = ""
    ) -> HARDocument.Entry {
        HARDocument.Entry(
            started: Date(timeIntervalSince1970: 0),
            request: .init(
                method: method, url: url, postData: body.map { .init(mediaType: type, bytes: Array($0.utf8)) },
                bodySize: body?.utf8.count ?? 0),
            response: .init(
                status: status, headers: headers.map { .init(name: $0.0, value: $0.1) },
                content: .init(mediaType: "text/plain", bytes: Array(content.utf8))))
    }

    private static func session(_ entries: HARDocument.Entry...) throws -> Session {
        let mock = MockTransport(replaying: HARDocument(entries: entries))
        return try Session(baseURL: "https://api.example") {
            $0.network.transport = mock
            $0.network.allowsOtherOrigins = true
            $0.retry = .none
            $0.acceptsAnyStatus = true
        }
    }

    @Test("Method, URL and body decide, and repeated entries answer in order; the last repeats")
    func order() async throws {
        let api = try Self.session(
            Self.entry("GET", "https://api.example/n", content: "one"),
            Self.entry("GET", "https://api.example/n?x=1", content: "x"),
            Self.entry("GET", "https://api.example/n", content: "two"),
            Self.entry("DELETE", "https://api.example/n", content: "gone"))
        var texts: [String] = []
        for path in ["n", "n?x=1", "n", "n"] { texts.append(try await api.get(path).body.text) }
        texts.append(try await api.delete("n").body.text)
        expectEqual(texts, ["one", "x", "two", "two", "gone"])
    }

    @Test("JSON and forms are compared by value, other bodies by their bytes")
    func bodies() async throws {
        let api = try Self.session(
            Self.entry(
                "POST", "https://api.example/a", type: "application/json", body: #"{"a":1,"b":[2.0]}"#, content: "json"),
            Self.entry(
                "POST", "https://api.example/a", type: "application/x-www-form-urlencoded", body: "b=2&a=1+x",
                content: "form"),
            Self.entry("POST", "https://api.example/a", type: "text/plain", body: "text", content: "text"))
        func answer(_ body: String, _ type: String) async throws -> String {
            try await api.post("a", body: .text(body, mediaType: type)).body.text
        }
        try await expectEqual(answer(#"{ "b": [2], "a": 1.0 }"#, "application/json"), "json")
        try await expectEqual(answer("a=1%20x&b=2", "application/x-www-form-urlencoded"), "form")
        try await expectEqual(answer("text", "text/plain"), "text")
        #expect(try await answer("texts", "text/plain").contains("its body differs"))
    }

    @Test(
        "A request that no entry matches names the nearest one and its differences",
        arguments: [
            ("PUT", "https://api.example/birds/7?page=2", "its method is GET"),
            ("GET", "https://api.example/birds/8?page=2", "its path is /birds/7"),
            ("GET", "https://api.example/birds/7?page=3", "its query has page=2 in place of page=3"),
            ("GET", "https://other.example/birds/7?page=2", "its origin is https://api.example"),
        ])
    func nearest(method: String, url: String, difference: String) async throws {
        let api = try Self.session(
            Self.entry("POST", "https://api.example/login"), Self.entry("GET", "https://api.example/birds/7?page=2"))
        let reply = try await api.request(#require(Request.Method(method)), url)
        expectEqual(reply.status, 404)
        let message = try await reply.json()["message"].string ?? ""
        #expect(message.contains("nearest is entry 2, GET https://api.example/birds/7"), "\(message)")
        #expect(message.contains(difference), "\(message)")
    }

    @Test("The place of a difference in JSON is named, and no secret")
    func jsonDifference() async throws {
        let api = try Self.session(
            Self.entry(
                "POST", "https://api.example/a?token=s3cret", type: "application/json", body: #"{"a":{"b":[1,2]}}"#))
        let reply = try await api.post(
            "a?token=wr0ng", body: .text(#"{"a":{"b":[1,3]}}"#, mediaType: "application/json"))
        let message = try await reply.json()["message"].string ?? ""
        #expect(message.contains("its JSON differs at /a/b/1"), "\(message)")
        #expect(!message.contains("s3cret") && !message.contains("wr0ng"), "\(message)")
    }

    @Test("A document without secrets answers requests with secrets")
    func redacted() async throws {
        let entry = Self.entry(
            "POST", "https://api.example/login?api_key=k1", type: "application/json",
            body: #"{"user":"ada","password":"p1"}"#, content: "welcome")
        let mock = MockTransport(replaying: HARDocument(entries: [entry]).redacted())
        let api = try Session(baseURL: "https://api.example") { $0.network.transport = mock }
        let reply = try await api.post(
            "login?api_key=k1", body: .text(#"{"user":"ada","password":"p1"}"#, mediaType: "application/json"))
        expectEqual(reply.body.text, "welcome")
        await #expect(throws: SternaError.self) {
            try await api.post(
                "login?api_key=k1", body: .text(#"{"user":"eve","password":"p1"}"#, mediaType: "application/json"))
        }
    }

    @Test("Content is decoded already, and fields of the coding and of the connection are left out")
    func fields() async throws {
        let headers = [
            ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"), ("Content-Length", "3"),
            ("Connection", "X-Hop"),
            ("X-Hop", "1"), ("Transfer-Encoding", "chunked"), ("Content-MD5", "x"), ("X-Kept", "yes"),
            (":status", "200"),
        ]
        let entry = Self.entry("GET", "https://api.example/a", headers: headers, content: "decoded text")
        let reply = try await Self.session(entry).get("a")
        expectEqual(reply.body.text, "decoded text")
        expectEqual(reply.headers.map(\.name.canonicalName).sorted(), ["content-type", "x-kept"])
        try await TestServer.withServer { server in
            server.replay(HARDocument(entries: [entry]))
            let served = try await Session { $0.network.engine = Engine() }.get(server.url("/a"))
            expectEqual(served.body.text, "decoded text")
            expectEqual(served.headers[.contentLength], "12")
        }
    }

    @Test("Failures, missing content, and text in its character set")
    func special() async throws {
        let har = try HARDocument(parsing: HARFixtures.chromium.utf8)
        let mock = MockTransport(replaying: har)
        let session = try Session {
            $0.network.transport = mock
            $0.retry = .none
            $0.acceptsAnyStatus = true
        }
        let error = await #expect(throws: SternaError.self) { try await session.get("https://gone.example/") }
        expectEqual(error?.kind, .connectionClosed)
        let missing = try await session.get("https://nests.example/prices")
        expectEqual(missing.status, 502)
        let page = try await session.get("https://nests.example/list?kind=tern&year=2026")
        expectEqual(page.headers[fields: .setCookie].map(\.value), ["a=1", "b=2; Path=/"])
        let latin = HARDocument.Content(json: ["mimeType": "text/plain; charset=iso-8859-1", "text": "é"])
        expectEqual(latin.bytes, [0xE9])
    }

    @Test("A WebSocket's messages")
    func webSocket() async throws {
        let har = try HARDocument(parsing: HARFixtures.chromium.utf8)
        let mock = MockTransport(replaying: har)
        let session = try Session { $0.network.transport = mock }
        let socket = try await session.webSocket("wss://nests.example/live")
        try await socket.send("anything")
        var received: [WebSocket.Message] = []
        for try await message in socket { received.append(message) }
        expectEqual(received, [.text("welcome"), .binary(Bytes(copying: [0, 1, 2]))])
    }

    @Test("A server answers for all hosts, and keeps redirects")
    func server() async throws {
        let har = HARDocument(entries: [
            Self.entry(
                "GET", "https://a.example/old?x=1", status: 302, headers: [("Location", "https://a.example/new#top")]),
            Self.entry("GET", "https://a.example/new", content: "of a"),
            Self.entry("GET", "https://b.example/new", content: "of b"),
            Self.entry(
                "GET", "https://a.example/out", status: 302, headers: [("Location", "https://elsewhere.example/")]),
        ])
        try await TestServer.withServer { server in
            server.replay(har)
            let session = try Session {
                $0.network.engine = Engine()
                $0.acceptsAnyStatus = true
            }
            let reply = try await session.get(server.url("/old?x=1"))
            expectEqual(reply.body.text, "of a")
            let other = try await session.get(server.url("/new"))
            expectEqual(other.body.text, "of b")
            let out = try await session.get(server.url("/out")) { $0.redirects = .doNotFollow }
            expectEqual(out.headers[.location], "https://elsewhere.example/")
            let none = try await session.get(server.url("/get"))
            expectEqual(none.status, 404)
        }
    }
}
