import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Which connection an answer to a proxy's challenge goes on, by what the proxy does with the one that it challenged on.
@Suite("Proxies: connections after a challenge", .timeLimit(.minutes(5)))
struct ProxyChallengeConnectionTests {
    private static let refusal = "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"

    private static func challenge(
        _ fields: String = "Content-Length: 0\r\n", version: String = "1.1", body: String = ""
    )
        -> String
    {
        "HTTP/\(version) 407 Who\r\nProxy-Authenticate: Basic realm=\"r\"\r\n\(fields)\r\n\(body)"
    }

    /// Plays scripts to a CONNECT whose answer is refused with 403, and gives what came on each connection.
    private func heads(
        _ connections: [[ScriptedServer.Step]], answers: Int = 1, location: SourceLocation = #_sourceLocation
    ) async throws -> [[String]] {
        try await ScriptedServer.withServer(connections: connections) { server in
            let login = ProxyLogin { .basic("u\($0.refusedCount)", "pw") }
            let api = try ProxyScene.session(server.url) { $0.network.proxies.authenticator = login }
            let error = await Wire.failure(.proxyFailed, .proxy, location: location) {
                try await api.get("https://origin.test/get")
            }
            expectEqual(error?.proxyResponse?.status.code, 403, sourceLocation: location)
            expectEqual(login.challenges.count, answers, sourceLocation: location)
            return (0..<server.acceptedConnections).map { number in
                String(decoding: server.received(connection: number), as: UTF8.self)
                    .split(separator: "\r\n\r\n").map { "\($0)\r\n" }
            }
        }
    }

    private func isAnswered(_ head: String?) -> Bool { head?.contains("\r\nProxy-Authorization: Basic ") == true }

    @Test(
        "The same connection is used if the challenge can be read to its end",
        arguments: [
            challenge(), challenge("Content-Length: 3\r\n", body: "who"),
            challenge("Transfer-Encoding: chunked\r\n", body: "3\r\nwho\r\n0\r\n\r\n"),
            challenge("Content-Length: 3\r\nConnection: keep-alive\r\n", version: "1.0", body: "who"),
            challenge("Content-Length: 65536\r\n", body: String(repeating: "b", count: 65_536)),
            "HTTP/1.1 103 Hints\r\n\r\n" + challenge("Content-Length: 3\r\n", body: "who"),
        ], [1_000_000, 7_000])
    func same(text: String, pieceSize: Int) async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .sendSplit(Array(text.utf8), pieceSize: pieceSize), .receiveHead, .send(Self.refusal),
        ]
        let heads = try await heads([script])
        expectEqual(heads.count, 1)
        expectEqual(heads.first?.map(isAnswered), [false, true])
        expectEqual(heads.first?.allSatisfy { $0.hasPrefix("CONNECT origin.test:443 HTTP/1.1\r\n") }, true)
    }

    @Test(
        "Another connection is used if it cannot, or must not be kept",
        arguments: [
            challenge("Content-Length: 0\r\nConnection: close\r\n"), challenge("", body: "until it closes"),
            challenge(version: "1.0"), challenge("Content-Length: 65537\r\n"),
            challenge("Content-Length: 3\r\n", body: "wh"),
            challenge("Transfer-Encoding: chunked\r\n", body: "3\r\nwho\r\n"),
            challenge("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", body: "0\r\n\r\n"),
            challenge("Content-Length: x\r\n"), challenge(body: "surplus"),
            challenge("Transfer-Encoding: chunked\r\n", body: "11170\r\n" + String(repeating: "b", count: 70_000)),
        ], [false, true])
    func other(text: String, closes: Bool) async throws {
        let first: [ScriptedServer.Step] = [.receiveHead, .send(text)] + (closes ? [.close] : [.hang])
        let heads = try await heads([first, [.receiveHead, .send(Self.refusal)]])
        expectEqual(heads.map { $0.map(isAnswered) }, [[false], [true]])
    }

    @Test(
        "Another connection is used if the proxy closes it, before or at the next request", arguments: [false, true])
    func closed(late: Bool) async throws {
        let first: [ScriptedServer.Step] =
            [.receiveHead, .send(Self.challenge())] + (late ? [.receiveHead, .close] : [.close])
        let heads = try await heads([first, [.receiveHead, .send(Self.refusal)]])
        expectEqual(heads.count, 2)
        expectEqual(heads.last?.map(isAnswered), [true])
    }

    @Test("Another connection is used if the proxy sends bytes while the authenticator runs")
    func unasked() async throws {
        let first: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.challenge()), .send("HTTP/1.1 200 OK\r\n\r\n"), .hang,
        ]
        try await ScriptedServer.withServer(connections: [first, [.receiveHead, .send(Self.refusal)]]) { server in
            let login = ProxyLogin { _ in
                let isClosed = try await server.waitForClose(connection: 0, within: 60)
                #expect(isClosed)
                return .basic("ada", "pw")
            }
            let api = try ProxyScene.session(server.url) { $0.network.proxies.authenticator = login }
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/get") }
            expectEqual(error?.proxyResponse?.status.code, 403)
            expectEqual(server.acceptedConnections, 2)
        }
    }

    @Test("On connections that are closed, three challenges are answered, and no more")
    func endless() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.challenge("Content-Length: 0\r\nConnection: close\r\n")), .close,
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let login = ProxyLogin { .basic("u\($0.refusedCount)", "pw") }
            let api = try ProxyScene.session(server.url) { $0.network.proxies.authenticator = login }
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/get") }
            expectEqual(error?.proxyResponse?.status.code, 407)
            expectEqual(login.challenges.map(\.refusedCount), [0, 1, 2])
            expectEqual(server.acceptedConnections, 4)
        }
    }

    @Test("The schemes of all fields are passed on, and none if they are malformed")
    func schemes() async throws {
        let fields = [
            "Proxy-Authenticate: Digest realm=\"a, b\", nonce=\"n\", Negotiate", "Proxy-Authenticate: Broken \"",
            "Proxy-Authenticate: Bearer",
        ]
        for (lines, expected) in [(fields, ["Digest", "Negotiate", "Bearer"]), ([fields[1]], [])] {
            let text = "HTTP/1.1 407 Who\r\n\(lines.map { $0 + "\r\n" }.joined())Content-Length: 0\r\n\r\n"
            try await ScriptedServer.withServer(connections: [[.receiveHead, .send(text)]]) { server in
                let login = ProxyLogin { _ in nil }
                let api = try ProxyScene.session(server.url) { $0.network.proxies.authenticator = login }
                await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/get") }
                expectEqual(login.challenges.map { $0.challenges.map(\.scheme) }, [expected])
            }
        }
    }
}
