import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Servers on sockets whose 401 is followed by what no server should send.
@Suite("Authentication: refusals of hostile servers", .timeLimit(.minutes(5)))
struct HostileRefusalTests {
    private static let head =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"x\", nonce=\"n\", qop=\"auth\"\r\n"
    private static let answer: [ScriptedServer.Step] = [
        .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nreal"),
    ]

    /// Sends a GET with a credential; the second connection answers it.
    private func text(_ refusal: [ScriptedServer.Step]) async throws -> (text: String, sent: String) {
        let script: [ScriptedServer.Step] = [.receiveHead] + refusal
        return try await ScriptedServer.withServer(connections: [script, Self.answer]) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.retry = .none
                $0.auth.credential = AuthenticationSessionTests.ada
            }
            let text = try await api.get("a").text()
            #expect(try await server.waitForClose(connection: 0))
            return (text, String(decoding: server.received(connection: 1), as: UTF8.self))
        }
    }

    @Test("A body without an end is given up with its connection") func endless() async throws {
        let chunk = Array("4000\r\n".utf8) + [UInt8](repeating: 0x7A, count: 0x4000) + Array("\r\n".utf8)
        let (text, sent) = try await text([
            .send(Self.head + "Transfer-Encoding: chunked\r\n\r\n"), .sendRepeating(chunk, count: nil),
        ])
        expectEqual(text, "real")
        #expect(sent.contains("Authorization: Digest"))
    }

    @Test("A caller that streams does not wait for a stalled body; others wait until the time-out between bytes")
    func stalling() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.head + "Content-Length: 9\r\n\r\nno"), .waitForClose,
        ]
        try await ScriptedServer.withServer(connections: [script, Self.answer, script]) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.retry = .none
                $0.auth.credential = AuthenticationSessionTests.ada
                $0.timeouts.betweenBytes = .seconds(1)
            }
            let status = try await api.withResponse(to: .get("a")) { response in
                for try await _ in response.body {}
                return response.status
            }
            expectEqual(status, .ok)
            #expect(try await server.waitForClose(connection: 0))
            let error = await #expect(throws: SternaError.self) {
                try await Session(baseURL: server.url) {
                    $0.network.engine = Engine()
                    $0.retry = .none
                    $0.timeouts.betweenBytes = .seconds(1)
                }.get("a")
            }
            expectEqual(error?.kind, .timedOut)
        }
    }

    @Test("A second response behind a refusal is not taken for the next request's") func forged() async throws {
        let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        let (text, sent) = try await text([
            .send(Self.head + "Content-Length: 2\r\n\r\nno" + forged), .waitForClose,
        ])
        expectEqual(text, "real")
        #expect(sent.contains("Authorization: Digest"))
    }

    @Test("A connection that ends behind it is replaced") func closed() async throws {
        let (text, _) = try await text([.send(Self.head + "Content-Length: 2\r\n\r\nno"), .close])
        expectEqual(text, "real")
    }
}
