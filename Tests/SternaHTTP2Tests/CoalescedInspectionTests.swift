import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Certificates are looked at on a connection of their own, also where another origin's would serve this one.
@Suite("HTTP/2: inspection of certificates beside a shared connection", .timeLimit(.minutes(5)))
struct CoalescedInspectionTests {
    @Test("An inspection sees the certificates, and requests continue to share", arguments: ["one.test", "two.test"])
    func seen(name: String) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["one.test", "two.test"])
        try await TestServer.withServer(.init(tls: bundle, http2: .byALPN)) { server in
            var options = Wire.options
            for host in ["one.test", "two.test"] { options.hostOverrides["\(host):\(server.port)"] = ["127.0.0.1"] }
            let api = try Wire.session(
                "https://one.test:\(server.port)", engine: Engine(options: options), authority: authority)
            let first = try await api.get("get")
            expectEqual(first.response.version, .http2)
            let url = "https://\(name):\(server.port)/get"
            let seen = try await api.inspectTrust(of: url)
            expectNil(seen.failure)
            expectEqual(seen.version, .tls13)
            expectEqual(seen.evaluation.host, name)
            expectEqual(seen.evaluation.verdict, .trusted)
            expectEqual(seen.evaluation.presented.first, bundle.leafDER)
            expectEqual(server.totalConnections, 2)
            expectEqual(server.requestCount, 1)
            let second = try await api.get(url)
            expectEqual(second.response.version, .http2)
            expectEqual(server.totalConnections, 2)
        }
    }
}
