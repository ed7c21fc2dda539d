import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Secrets are never put into a table of a connection that others may share (RFC 7541 §7.1.3).
@Suite("HTTP/2: secret fields", .timeLimit(.minutes(5)))
struct HTTP2SecretFieldsTests {
    @Test("Credentials and cookies are never indexed", arguments: [false, true])
    func credentials(secure: Bool) async throws {
        let request = try await FrameScene.sent(secure: secure) { api, _ in
            try await api.get("row", headers: ["Cookie": "session=abc", "X-Plain": "1"]) {
                $0.auth.header = .bearer("secret-token")
            }
        }
        expectEqual(request["authorization"], "Bearer secret-token")
        expectEqual(request["cookie"], "session=abc")
        #expect(request.neverIndexed.contains("authorization"))
        #expect(request.neverIndexed.contains("cookie"))
        // What is never indexed costs its length each time.
        for name in [":method", ":path", "user-agent", "accept", "x-plain"] {
            #expect(!request.neverIndexed.contains(name), "\(name)")
        }
    }

    @Test("Fields of these names written by hand, too", arguments: ["Authorization", "authorization", "COOKIE"])
    func byHand(name: String) async throws {
        let request = try await FrameScene.sent { api, _ in try await api.get("row", headers: [name: "by hand"]) }
        expectEqual(request[name.lowercased()], "by hand")
        #expect(request.neverIndexed.contains(name.lowercased()))
    }

    @Test("Every line of a repeated one")
    func lines() async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: ["Cookie": "a=1", "cookie": "b=2"])
        }
        expectEqual(request.neverIndexed.count { $0 == "cookie" }, request.values("cookie").count)
        expectEqual(request.values("cookie").joined(separator: "; "), "a=1; b=2")
    }

    @Test("What a session marks secret", arguments: ["X-Club", "x-club", "X-CLUB"])
    func session(name: String) async throws {
        let request = try await FrameScene.sent {
            $0.auth.secretHeaders = [name]
            $0.headers["X-Club"] = "member"
        } _: { api, _ in
            try await api.get("row")
        }
        expectEqual(request["x-club"], "member")
        #expect(request.neverIndexed.contains("x-club"))
    }

    @Test("What a request marks secret")
    func request() async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: ["X-Marked": "1", "X-Other": "2"]) {
                $0.auth.secretHeaders = ["X-Marked"]
            }
        }
        expectEqual(request["x-marked"], "1")
        #expect(request.neverIndexed.contains("x-marked"))
        #expect(!request.neverIndexed.contains("x-other"))
    }

    @Test("Again and again on one connection")
    func repeated() async throws {
        try await FrameScene.withSession {
            $0.auth.header = .bearer("same")
        } script: { connection in
            try await connection.handshake()
            for _ in 0..<3 {
                let request = try await connection.request()
                expectEqual(request["authorization"], "Bearer same")
                #expect(request.neverIndexed.contains("authorization"))
                try await connection.respond(request.stream, text: "ok")
            }
        } body: { api, peer in
            for _ in 0..<3 { try await api.expect("ok", at: "row") }
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A proxy's credentials are not sent to a server")
    func proxy() async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: ["Proxy-Authorization": "Basic abc", "X-Behind": "1"])
        }
        expectNil(request["proxy-authorization"])
        expectEqual(request["x-behind"], "1")
    }
}
