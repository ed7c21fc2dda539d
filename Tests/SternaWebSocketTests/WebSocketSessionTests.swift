import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("WebSocket: from a session", .timeLimit(.minutes(5)))
struct WebSocketSessionTests {
    private static func session(
        _ server: SwitchingTransport, base: String? = "https://a.example/v1",
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: base) {
            $0.network.transport = server
            $0.network.allowsOtherOrigins = true
            configure(&$0)
        }
    }

    private static func value(_ request: Request?, _ name: String) -> String? {
        HTTPField.Name(name).flatMap { request?.headers[$0] }
    }

    @Test(
        "The URL of the handshake",
        arguments: [
            ("https://a.example/v1", "chat", "https://a.example/v1/chat"),
            ("wss://a.example/v1", "chat", "https://a.example/v1/chat"),
            ("ws://a.example", "/x?y", "http://a.example/x?y"),
            ("https://a.example", "wss://b.example/", "https://b.example/"),
            ("http://a.example", "ws://a.example/", "http://a.example/"),
        ])
    func urls(_ base: String, _ reference: String, _ expected: String) async throws {
        let server = SwitchingTransport()
        let socket = try await Self.session(server, base: base).webSocket(reference)
        expectEqual(server.requests.map(\.url.href), [expected])
        expectEqual(socket.response.url.href, expected)
        expectEqual(socket.response.status.code, 101)
    }

    @Test("The session's secrets go to its own origin, by ws and wss, too")
    func credentials() async throws {
        let server = SwitchingTransport()
        for base in ["https://a.example", "wss://a.example"] {
            let api = try Self.session(server, base: base) { $0.auth.header = .bearer("secret") }
            _ = try await api.webSocket("wss://a.example/x")
            _ = try await api.webSocket("wss://b.example/x")
        }
        expectEqual(
            server.requests.map { $0.headers[.authorization] }, ["Bearer secret", nil, "Bearer secret", nil])
    }

    @Test("The fields of the handshake: no content coding, no body")
    func fields() async throws {
        let server = SwitchingTransport(changing: { _, fields in
            fields.append(HTTPField(name: .init("Sec-WebSocket-Protocol")!, value: "v1"))
        })
        let api = try Self.session(server) { $0.headers = ["Connection": "close", "X-Own": "1"] }
        let socket = try await api.webSocket("chat", headers: ["X-Caller": "2", "Origin": "https://c.example"]) {
            $0.subprotocols = ["v2", "v1"]
        }
        let request = try #require(server.requests.first)
        expectEqual(request.method, .get)
        expectEqual(request.delivery, .duplex)
        #expect(request.body == nil)
        expectNil(request.headers[.acceptEncoding])
        expectEqual(Self.value(request, "Connection"), "Upgrade")
        expectEqual(Self.value(request, "Upgrade"), "websocket")
        expectEqual(Self.value(request, "Sec-WebSocket-Protocol"), "v2, v1")
        expectEqual(Self.value(request, "X-Own"), "1")
        expectEqual(Self.value(request, "X-Caller"), "2")
        expectEqual(Self.value(request, "Origin"), "https://c.example")
        expectEqual(socket.subprotocol, "v1")
    }

    @Test(
        "The caller's fields do not replace the handshake's",
        arguments: ["Upgrade", "connection", "Sec-WebSocket-Key", "sec-websocket-protocol", "Sec-WebSocket-Extensions"])
    func reservedFields(_ name: String) async throws {
        let server = SwitchingTransport()
        let api = try Self.session(server)
        let error = await socketError { _ = try await api.webSocket("chat", headers: [name: "x"]) }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(server.requests.count, 0)
    }

    @Test("A draft with a body or another method is refused; its query and settings count")
    func drafts() async throws {
        let server = SwitchingTransport()
        let api = try Self.session(server)
        for draft: RequestDraft in [.post("chat"), .get("chat", body: .text("x"))] {
            let error = await socketError { _ = try await api.webSocket(of: draft) }
            expectEqual(error?.kind, .invalidRequest)
        }
        _ = try await api.webSocket(of: .get("chat", query: ["room": "1"]) { $0.timeouts.total = .seconds(5) })
        expectEqual(server.requests.map(\.url.href), ["https://a.example/v1/chat?room=1"])
        expectEqual(server.requests.first?.timeouts.total, .seconds(5))
    }

    private static func answer(_ request: Request, _ status: Int, _ fields: HTTPFields, _ body: String = "") -> Response
    {
        Response(
            status: .init(code: status), section: FieldSection(fields), body: ResponseBody(Bytes(string: body)),
            url: request.url)
    }

    @Test("A refusal has status, fields, body and the server's message", arguments: [403, 200])
    func refusal(_ status: Int) async throws {
        let server = SwitchingTransport(refusing: { request in
            Self.answer(request, status, [.contentType: "application/json", .server: "s"], #"{"message":"not you"}"#)
        })
        let api = try Self.session(server)
        let error = await socketError { _ = try await api.webSocket("chat") }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.status, status)
        expectEqual(error?.response?.headers[.server], "s")
        expectEqual(error?.body?.text, #"{"message":"not you"}"#)
        expectEqual(error?.serverMessage, "not you")
        expectEqual(error?.method, .get)
    }

    @Test("An answer that is no handshake ends the stream")
    func invalidAnswer() async throws {
        let server = SwitchingTransport(changing: { _, fields in fields[.upgrade] = nil })
        let api = try Self.session(server)
        let error = await socketError { _ = try await api.webSocket("chat") }
        expectEqual(error?.kind, .malformedResponse)
        expectEqual(error?.status, 101)
        expectEqual(server.streams.map(\.isCancelled), [true])
    }

    struct Redirect: Sendable, CustomTestStringConvertible {
        let from: String
        let to: String
        let target: String?
        var testDescription: String { "\(from) to \(to)" }
    }

    @Test(
        "Redirects by ws and http URLs are followed, but never from wss to ws, even where the session allows https to http",
        arguments: [
            Redirect(from: "wss://a.example/", to: "/x", target: "https://a.example/x"),
            Redirect(from: "wss://a.example/", to: "wss://b.example/x", target: "https://b.example/x"),
            Redirect(from: "ws://a.example/", to: "https://b.example/x", target: "https://b.example/x"),
            Redirect(from: "ws://a.example/", to: "ws://b.example/x", target: "http://b.example/x"),
            Redirect(from: "wss://a.example/", to: "http://b.example/x", target: nil),
            Redirect(from: "wss://a.example/", to: "ws://b.example/x", target: nil),
        ])
    func redirects(_ row: Redirect) async throws {
        let server = SwitchingTransport(refusing: { request in
            request.url.path == "/" ? Self.answer(request, 302, [.location: row.to]) : nil
        })
        let api = try Self.session(server, base: nil) { $0.redirects.allowsInsecure = true }
        if let target = row.target {
            let socket = try await api.webSocket(row.from)
            expectEqual(socket.response.url.href, target)
            expectEqual(socket.response.redirects.count, 1)
            let keys = server.requests.map { Self.value($0, "Sec-WebSocket-Key") }
            expectEqual(keys.count, 2)
            #expect(keys[0] != nil && keys[0] == keys[1])
        } else {
            let error = await socketError { _ = try await api.webSocket(row.from) }
            expectEqual(error?.kind, .redirectRefused)
            expectEqual(server.requests.count, 1)
        }
    }

    @Test("A closure for redirects does not lead from https to http")
    func redirectClosure() async throws {
        let server = SwitchingTransport(refusing: { request in
            request.url.path == "/" ? Self.answer(request, 302, [.location: "/x"]) : nil
        })
        let api = try Self.session(server, base: nil) {
            $0.redirectHandler = { _, proposed in
                var changed = proposed
                if let url = try? HTTPURL("ws://a.example/x") { changed.url = url }
                return .follow(changed)
            }
        }
        let error = await socketError { _ = try await api.webSocket("wss://a.example/") }
        expectEqual(error?.kind, .redirectRefused)
        expectEqual(server.requests.count, 1)
    }

    @Test("Handshakes are neither shared nor retried nor answered by a cache")
    func alone() async throws {
        let server = SwitchingTransport(refusing: { request in
            request.url.path == "/busy" ? Self.answer(request, 503, [:]) : nil
        })
        let api = try Self.session(server, base: "https://a.example") {
            $0.cache.store = .memory()
            $0.retry = .standard
            $0.network.coalescesRequests = true
        }
        let sockets = try await (api.webSocket("x"), api.webSocket("x"))
        expectEqual(server.streams.count, 2)
        _ = sockets
        let error = await socketError { _ = try await api.webSocket("busy") }
        expectEqual(error?.status, 503)
        expectEqual(server.requests.count, 3)
    }

    // MARK: Scopes

    private struct Broken: Error {}

    @Test("The scope closes with 1000 after a return, with 1001 after an error")
    func scopes() async throws {
        let server = SwitchingTransport(serving: { _, stream in
            stream.answersCloses()
            stream.receive(.text("a"))
        })
        let api = try Self.session(server)
        let message = try await api.withWebSocket("x") { socket in
            var messages = socket.makeAsyncIterator()
            return try await messages.next(isolation: nil)
        }
        expectEqual(message, .text("a"))
        await #expect(throws: Broken.self) { try await api.withWebSocket("x") { _ in throw Broken() } }
        expectEqual(server.streams.map { $0.takeSent().map(\.code) }, [[1000], [1001]])
    }

    @Test("The scope of a cancelled task closes with 1001, and does not wait")
    func cancelledScope() async throws {
        let server = SwitchingTransport()
        let api = try Self.session(server)
        let task = Task {
            try await api.withWebSocket("x") { socket in
                for try await _ in socket {}
            }
        }
        #expect(await eventually { server.streams.first?.timerCount == 1 })
        task.cancel()
        await expectEqual(failure(of: task), .cancelled)
        expectEqual(server.streams.first?.takeSent().map(\.code), [1001])
    }
}
