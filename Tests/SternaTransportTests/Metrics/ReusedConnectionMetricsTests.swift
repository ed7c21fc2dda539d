import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What is known of a connection is said of each attempt on it, not only of the one that it was opened for.
@Suite("Metrics of reused connections", .timeLimit(.minutes(5)))
struct ReusedConnectionMetricsTests {
    /// What requests took, one behind the other.
    private func history(_ count: Int, _ api: Session, _ url: String) async throws -> [AttemptMetrics] {
        var attempts: [AttemptMetrics] = []
        for _ in 0..<count {
            let metrics = try await api.get(url).response.metrics
            attempts.append(contentsOf: metrics?.attempts ?? [])
        }
        return attempts
    }

    @Test("The version of TLS", arguments: [(ServerTLSVersion.tls12, "TLS 1.2"), (.tls13, "TLS 1.3")])
    func tlsVersion(version: ServerTLSVersion, name: String) async throws {
        let authority = try CertificateAuthority()
        var options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]))
        options.tlsSettings.maximumVersion = version
        try await TestServer.withServer(options) { server in
            let api = try DialScene.session(server.url, authority: authority) { $0.events.collectsMetrics = true }
            let attempts = try await history(3, api, "get")
            expectEqual(attempts.map(\.isReused), [false, true, true])
            expectEqual(attempts.map(\.tlsVersion), [name, name, name])
            // The handshake itself was the first one's.
            expectEqual(attempts.map { $0.tls != nil }, [true, false, false])
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("The version of TLS, over HTTP/2")
    func http2() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost"])
        try await TestServer.withServer(.init(tls: bundle, http2: .byALPN)) { server in
            let api = try DialScene.session(server.url, authority: authority) { $0.events.collectsMetrics = true }
            let attempts = try await history(3, api, "get")
            expectEqual(attempts.map(\.version), [.http2, .http2, .http2])
            expectEqual(attempts.map(\.isReused), [false, true, true])
            expectEqual(attempts.map(\.tlsVersion), ["TLS 1.3", "TLS 1.3", "TLS 1.3"])
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("The version of TLS, after a redirect and for a streamed body")
    func redirected() async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]))
        try await TestServer.withServer(options) { server in
            let api = try DialScene.session(server.url, authority: authority) { $0.events.collectsMetrics = true }
            let response = try await api.withResponse(to: .get("redirect/2")) { response in
                for try await _ in response.body {}
                return response
            }
            expectEqual(response.metrics?.attempts.map(\.isReused), [false, true, true])
            expectEqual(response.metrics?.attempts.map(\.tlsVersion), ["TLS 1.3", "TLS 1.3", "TLS 1.3"])
        }
    }

    @Test("The version of TLS with the server, and the route, through a proxy", arguments: ProxyScene.Kind.allCases)
    func tunnel(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: .guarded) { scene in
            let api = try scene.session { $0.events.collectsMetrics = true }
            let attempts = try await history(2, api, scene.url("/get"))
            expectEqual(attempts.map(\.isReused), [false, true])
            expectEqual(attempts.map(\.tlsVersion), ["TLS 1.3", "TLS 1.3"])
            let proxy = try Proxy(scene.proxy.url)
            expectEqual(attempts.map(\.proxy), [proxy.description, proxy.description])
            let address = "127.0.0.1:\(scene.proxy.port)"
            expectEqual(attempts.map(\.remoteAddress), [address, address])
        }
    }

    @Test("Without TLS there is no version")
    func plain() async throws {
        try await TestServer.withServer { server in
            let api = try DialScene.session(server.url) { $0.events.collectsMetrics = true }
            let attempts = try await history(2, api, "get")
            expectEqual(attempts.map(\.isReused), [false, true])
            #expect(attempts.allSatisfy { $0.tlsVersion == nil })
        }
    }
}
