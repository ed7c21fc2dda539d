import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Redirects over HTTP/2, on which another client's process ends.
@Suite("HTTP/2: redirects", .timeLimit(.minutes(5)))
struct HTTP2RedirectTests {
    @Test("Redirects use the same connection, with TLS and without", arguments: [true, false], ["GET", "POST"])
    func followed(secure: Bool, method: String) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        let http2: ServerHTTP2 = secure ? .byALPN : .byPriorKnowledge
        try await TestServer.withServer(.init(tls: bundle, http2: http2)) { server in
            let base = secure ? "https://localhost:\(server.port)" : server.url
            let api = try Wire.session(base, authority: secure ? authority : nil) { $0.network.http2 = .priorKnowledge }
            for _ in 0..<3 {
                let reply =
                    method == "GET"
                    ? try await api.get("redirect/5")
                    : try await api.post("redirect-to?url=/post&status_code=307", body: .text("again"))
                expectEqual(reply.status, 200)
                expectEqual(reply.response.version, .http2)
                expectEqual(reply.response.redirects.count, (method == "GET" ? 5 : 1))
            }
            expectEqual(server.totalConnections, 1)
        }
    }
}
