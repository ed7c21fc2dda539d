import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Servers of HTTP/1.0 (RFC 9112, 9.3 and appendix C.2).
@Suite("HTTP/1.0 servers", .timeLimit(.minutes(5)))
struct OldServerTests {
    private func get(_ scripts: [[ScriptedServer.Step]], times: Int = 1) async throws -> ([String], connections: Int) {
        try await ScriptedServer.withServer(connections: scripts) { server in
            let api = try DialScene.session(server.url)
            var texts: [String] = []
            for _ in 0..<times {
                let reply = try await api.get("a")
                expectEqual(reply.response.version, .http10)
                texts.append(try await reply.text())
            }
            return (texts, server.acceptedConnections)
        }
    }

    @Test("A body lasts until the connection ends")
    func untilClose() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.0 200 OK\r\n\r\nfirst "), .send("last"), .close,
        ]
        let (texts, _) = try await get([script])
        expectEqual(texts, ["first last"])
    }

    @Test("A connection is not used again unless the server says so", arguments: [false, true])
    func keeping(says: Bool) async throws {
        let field = says ? "Connection: Keep-Alive\r\n" : ""
        let answer = ScriptedServer.Step.send("HTTP/1.0 200 OK\r\n\(field)Content-Length: 2\r\n\r\nok")
        let (texts, connections) = try await get([[.receiveHead, answer, .receiveHead, answer]], times: 2)
        expectEqual(texts, ["ok", "ok"])
        expectEqual(connections, (says ? 1 : 2))
    }

    @Test("A length that is not reached is an error")
    func truncated() async throws {
        try await Wire.refusal(
            .truncated, .read, script: [.send("HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close])
    }

    @Test("A chunked body is an error in HTTP/1.0")
    func chunks() async throws {
        try await Wire.refusal(
            .malformedResponse, .read,
            script: [.send("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")])
    }
}
