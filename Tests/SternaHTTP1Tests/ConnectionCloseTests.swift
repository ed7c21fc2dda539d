import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A request that says `Connection: close` (RFC 9112, 9.6): the client closes behind the answer, whatever that says.
@Suite("Requests that end their connection", .timeLimit(.minutes(5)))
struct ConnectionCloseTests {
    /// Less than an idle connection is kept for, in seconds.
    private static let soon = 100.0

    /// The first request must end its connection; the next two, which do not say so, share another one.
    private func expectEnd(
        secure: Bool = false, first: [ScriptedServer.Step] = [.receiveHead, .answer("first")],
        location: SourceLocation = #_sourceLocation, _ ask: (Session) async throws -> Void
    ) async throws {
        let authority = secure ? try CertificateAuthority() : nil
        let kept: [ScriptedServer.Step] = [.receiveHead, .answer("kept")]
        let others: [ScriptedServer.Step] = [.receiveHead, .answer("second"), .receiveHead, .answer("third")]
        try await ScriptedServer.withServer(
            tls: try authority?.issue(hosts: ["localhost"]), connections: [first + kept, others]
        ) { server in
            let api = try Wire.session(server.url, authority: authority)
            try await ask(api)
            let isClosed = try await server.waitForClose(connection: 0, within: Self.soon)
            #expect(isClosed, sourceLocation: location)
            let head = String(decoding: server.received(connection: 0), as: UTF8.self).lowercased()
            #expect(head.contains("\r\nconnection: "), sourceLocation: location)
            for text in ["second", "third"] {
                let reply = try await api.get("next").text()
                expectEqual(reply, text, sourceLocation: location)
            }
            expectEqual(server.acceptedConnections, 2, sourceLocation: location)
        }
    }

    @Test(
        "However it is written", arguments: ["close", "Close", "keep-alive, close", "x-a ,\tCLOSE"], [false, true])
    func values(value: String, secure: Bool) async throws {
        try await expectEnd(secure: secure) { api in
            let text = try await api.get("first", headers: ["Connection": value]).text()
            expectEqual(text, "first")
        }
    }

    @Test("After a response that is streamed to its end")
    func streamed() async throws {
        let body = String(repeating: "b", count: 600_000)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n" + body
        try await expectEnd(first: [.receiveHead, .send(answer)]) { api in
            try await api.withResponse(to: .get("first", headers: ["Connection": "close"])) { response in
                var count = 0
                for try await chunk in response.body { count += chunk.readableBytes }
                expectEqual(count, 600_000)
            }
        }
    }

    @Test("After an upload", arguments: [10, 300_000])
    func upload(count: Int) async throws {
        try await expectEnd(first: [.receiveHead, .receive(atLeast: count), .answer("first")]) { api in
            let body = Body.bytes(Bytes(repeating: 1, count: count))
            let text = try await api.post("first", body: body, headers: ["Connection": "close"]).text()
            expectEqual(text, "first")
        }
    }

    @Test("For all of a session's requests")
    func session() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .answer("one"), .receiveHead, .answer("kept")]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Wire.session(server.url) { $0.headers["Connection"] = "close" }
            for connection in 0..<3 {
                let text = try await api.get("row").text()
                expectEqual(text, "one")
                let isClosed = try await server.waitForClose(connection: connection, within: Self.soon)
                #expect(isClosed)
            }
            expectEqual(server.acceptedConnections, 3)
        }
    }

    @Test("Other options do not end it", arguments: ["keep-alive", "x-close", "closed, not-close"])
    func others(value: String) async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .answer("one"), .receiveHead, .answer("two")]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Wire.session(server.url)
            for wanted in ["one", "two"] {
                let text = try await api.get("row", headers: ["Connection": value]).text()
                expectEqual(text, wanted)
            }
            expectEqual(server.acceptedConnections, 1)
        }
    }
}
