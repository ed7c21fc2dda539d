import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Reason phrases", .timeLimit(.minutes(5)))
struct ReasonPhraseTests {
    @Test(
        "The text after the status is readable as received",
        arguments: [
            ("HTTP/1.1 200 Fine, thanks\r\n", "Fine, thanks"), ("HTTP/1.1 200 \r\n", ""), ("HTTP/1.1 200\r\n", ""),
            ("HTTP/1.1 200  two\tblanks \r\n", " two\tblanks "), ("HTTP/1.0 200 \u{E9}t\u{E9}\r\n", "\u{E9}t\u{E9}"),
            ("HTTP/1.1 200 bare\n", "bare"), ("HTTP/1.1 200\n", ""),
            ("HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 Late\r\n", "Late"),
        ])
    func phrases(start: String, phrase: String) async throws {
        let reply = try await Wire.answer(script: [.send(start + "X-Field: 1\r\nContent-Length: 2\r\n\r\nok")])
        expectEqual(reply.response.reasonPhrase, phrase)
        expectEqual(reply.response.headers.map(\.value), ["1", "2"])
        try await expectEqual(reply.text(), "ok")
    }

    @Test("A head without fields has a reason phrase, too")
    func noFields() async throws {
        let reply = try await Wire.answer(script: [.send("HTTP/1.1 200 Alone\r\n\r\nok"), .close])
        expectEqual(reply.response.reasonPhrase, "Alone")
        #expect(reply.response.headers.isEmpty)
    }

    @Test("The reason phrase is kept when the fields are changed")
    func changed() async throws {
        let reply = try await Wire.answer(
            script: [.send("HTTP/1.1 200 Kept\r\nContent-Length: 0\r\n\r\n")])
        var response = reply.response
        expectEqual(response.reasonPhrase, "Kept")
        response.headers[.server] = "x"
        response.headers[.server] = nil
        expectEqual(response.reasonPhrase, "Kept")
    }

    @Test("The error for a status has the reason phrase")
    func error() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 451 Ask the bishop\r\nContent-Length: 0\r\n\r\n"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let error = await #expect(throws: SternaError.self) { try await Wire.session(server.url).get("a") }
            expectEqual(error?.response?.reasonPhrase, "Ask the bishop")
        }
    }

    @Test("A response made by the client has no reason phrase")
    func made() throws {
        #expect(Response(status: .ok, url: try HTTPURL("http://a.test")).reasonPhrase == "")
    }

    @Test("The head of a proxy's refusal of a tunnel is readable in full")
    func tunnel() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead,
            .send(
                "HTTP/1.1 407 Pay first\r\nProxy-Authenticate: Basic realm=\"a\"\r\nX-Proxy: p\r\nContent-Length: 0\r\n\r\n"
            ),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let proxy = try Proxy(server.url)
            let api = try Wire.session("https://origin.test") { $0.network.proxies = .proxy(proxy) }
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get("a") }
            let response = try #require(error?.proxyResponse)
            expectEqual(response.status.code, 407)
            expectEqual(response.reasonPhrase, "Pay first")
            expectEqual(response[.proxyAuthenticate], "Basic realm=\"a\"")
            expectEqual(response.headers.count, 3)
        }
    }
}
