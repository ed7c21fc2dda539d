import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Proxies that answer by Digest as no conforming one does, and servers that take themselves for proxies.
@Suite("Proxies: Digest, scripted", .timeLimit(.minutes(5)))
struct ProxyDigestScriptTests {
    private static let challenge = "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"

    private static func refusal(_ challenges: String...) -> String {
        "HTTP/1.1 407 Who\r\n" + challenges.map { "Proxy-Authenticate: \($0)\r\n" }.joined()
            + "Content-Length: 0\r\n\r\n"
    }

    private static func answer(_ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n"
    }

    private static func session(_ server: ScriptedServer) throws -> Session {
        try ProxyScene.session("http://ada:pw@127.0.0.1:\(server.port)")
    }

    private static func heads(_ server: ScriptedServer) -> [String] {
        (0..<server.acceptedConnections).flatMap { number in
            String(decoding: server.received(connection: number), as: UTF8.self).split(separator: "\r\n\r\n").map {
                "\($0)\r\n"
            }
        }
    }

    @Test("Proxy-Authentication-Info of a forwarded request: the next nonce is used for the next request")
    func nextNonce() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.refusal(Self.challenge)),
            .receiveHead, .send(Self.answer("Proxy-Authentication-Info: nextnonce=\"n2\"\r\n")),
            .receiveHead, .send(Self.answer()),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Self.session(server)
            #expect(try await api.get("http://origin.test/a").status == 200)
            #expect(try await api.get("http://origin.test/b").status == 200)
            let heads = Self.heads(server)
            expectEqual(heads.count, 3)
            expectEqual(heads.map { $0.contains("nonce=\"n1\"") }, [false, true, false])
            #expect(heads.last?.contains("nonce=\"n2\", uri=\"http://origin.test/b\"") == true)
            expectEqual(heads.last?.contains("nc=00000001"), true)
        }
    }

    @Test("A proxy that proves another password fails the request")
    func wrongProof() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.refusal(Self.challenge)),
            .receiveHead, .send(Self.answer("Proxy-Authentication-Info: rspauth=\"00\", qop=auth\r\n")),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Self.session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("http://origin.test/a") }
            expectEqual(error?.kind, .proxyFailed)
            expectEqual(error?.phase, .proxy)
            expectEqual(error.map { "\($0)".contains("pw") || "\($0)".contains("ada") }, false)
        }
    }

    @Test("Endless challenges, stale or not, fail the request", arguments: [true, false])
    func endless(isStale: Bool) async throws {
        var script: [ScriptedServer.Step] = []
        for number in 0..<20 {
            let line = "Digest realm=r, nonce=n\(number), qop=auth" + (isStale ? ", stale=true" : "")
            script += [.receiveHead, .send(Self.refusal(line))]
        }
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Self.session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("http://origin.test/a") }
            expectEqual(error?.status, 407)
            expectEqual(Self.heads(server).count, (isStale ? 4 : 2))
        }
    }

    @Test(
        "A challenge that cannot be answered is delivered as the 407",
        arguments: [
            "Digest realm=\"a\u{1}b\", nonce=n", "Digest realm=r, nonce=n, algorithm=SHA-1",
            "Digest realm=r, nonce=n, qop=token", "NTLM", "Negotiate abc==, NTLM",
        ])
    func unanswerable(line: String) async throws {
        // A control character in a field may end the answer before.
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(Self.refusal(line))]]) { server in
            let api = try Self.session(server)
            let error = await #expect(throws: SternaError.self) { try await api.get("http://origin.test/a") }
            #expect(error?.status == 407 || error?.kind == .malformedResponse)
            #expect(Self.heads(server).allSatisfy { !$0.contains("Digest") })
        }
    }

    @Test("A tunnel's error names schemes that are not supported")
    func unsupported() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .send(Self.refusal("NTLM", "Negotiate"))]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Self.session(server)
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/a") }
            expectEqual(error?.detail.contains("NTLM, Negotiate"), true)
            expectEqual(error?.detail.contains("not supported"), true)
        }
    }

    @Test("A tunnel's error names the unsupported part of Digest")
    func unknownQuality() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.refusal("Digest realm=r, nonce=n, qop=token")),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Self.session(server)
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/a") }
            expectEqual(error?.detail.contains("accepts only Digest with the unknown qop “token”"), true)
        }
    }

    @Test("Credentials go only to their proxy, even if another one is chosen right after")
    func chosenForEachURL() async throws {
        let first: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.refusal(Self.challenge)), .receiveHead, .send(Self.answer()),
        ]
        try await ScriptedServer.withServer(connections: [first]) { one in
            try await ScriptedServer.withServer(connections: [[.receiveHead, .send(Self.answer())]]) { other in
                let proxies = [
                    try Proxy("http://ada:pw@127.0.0.1:\(one.port)"), try Proxy("http://127.0.0.1:\(other.port)"),
                ]
                let asked = Counter()
                let api = try ProxyScene.session("http://127.0.0.1:\(one.port)") {
                    $0.network.proxies = .each { _ in proxies[asked.add() == 1 ? 0 : 1] }
                }
                #expect(try await api.get("http://origin.test/a").status == 200)
                expectEqual(other.acceptedConnections, 0)
                expectEqual(Self.heads(one).last?.contains("Digest username"), true)
            }
        }
    }

    @Test("A 407 of an origin, without a proxy, is an ordinary response")
    func origin() async throws {
        let script: [ScriptedServer.Step] = [.receiveHead, .send(Self.refusal(Self.challenge))]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let login = ProxyLogin { _ in .password("ada", "pw") }
            let api = try Session {
                $0.network.engine = Wire.engine()
                $0.network.proxies = .none
                $0.network.proxies.authenticator = login
            }
            let error = await #expect(throws: SternaError.self) { try await api.get(server.url + "/a") }
            expectEqual(error?.status, 407)
            #expect(login.challenges.isEmpty)
            #expect(Self.heads(server).allSatisfy { !$0.contains("Proxy-Authorization") })
        }
    }
}
