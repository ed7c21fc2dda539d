import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What holds for an origin holds for it behind a proxy.
@Suite("Proxies: trust in the origin", .timeLimit(.minutes(5)))
struct TunnelTrustTests {
    private func failure(
        _ api: Session, _ url: String, _ check: TrustFailure.Check, location: SourceLocation = #_sourceLocation
    ) async {
        let error = await Wire.failure(.certificateRejected, .tls, location: location) { try await api.get(url) }
        expectEqual((error?.underlying as? TrustFailure)?.check, check, sourceLocation: location)
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    @Test("An unknown authority is refused", arguments: [ProxyScene.Kind.http, .socks5])
    func issuer(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind) { scene in
            let stranger = try CertificateAuthority()
            let api = try scene.session { $0.trust.policy = .authority(pem: stranger.pem) }
            await failure(api, scene.url("/get"), .issuer)
            expectEqual(scene.origin.requestCount, 0)
            try await scene.proxy.waitForOpenConnections(0, within: 60)
        }
    }

    @Test(
        "A certificate for another name is refused, also one for the proxy's",
        arguments: ProxyScene.Kind.allCases, [["other.test"], ["localhost", "127.0.0.1"]])
    func name(kind: ProxyScene.Kind, hosts: [String]) async throws {
        try await ProxyScene.with(kind, originHosts: hosts) { scene in
            await failure(try scene.session(), scene.url("/get"), .hostName)
            expectEqual(scene.origin.requestCount, 0)
        }
    }

    @Test("Pins apply to the origin's chain", arguments: [ProxyScene.Kind.http, .socks5])
    func pins(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind) { scene in
            let right = try Pin.publicKey(of: scene.bundle.leafDER)
            let wrong = try Pin.publicKey(of: scene.authority.issue(hosts: ["origin.test"]).leafDER)
            let engine = Wire.engine()
            func session(_ pin: Pin) throws -> Session {
                try scene.session(nil, engine: engine) { $0.trust.policy.pins = [pin] }
            }
            try await expectEqual(session(right).get(scene.url("/get")).status, 200)
            await failure(try session(wrong), scene.url("/get"), .pin)
            try await expectEqual(session(right).get(scene.url("/get")).status, 200)
            expectEqual(scene.origin.requestCount, 2)
        }
    }

    @Test("With pins a request without TLS is refused before the proxy is contacted")
    func plain() async throws {
        try await ProxyScene.with(.http, secure: false) { scene in
            let pin = try Pin.publicKey(of: scene.bundle.leafDER)
            let api = try scene.session { $0.trust.policy.pins = [pin] }
            await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            expectEqual(scene.proxy.totalConnections, 0)
        }
    }

    @Test("A policy of the origin's host applies", arguments: [ProxyScene.Kind.http, .socks5])
    func host(kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind) { scene in
            let policy = SecurityPolicy.authority(pem: scene.authority.pem)
            let stranger = SecurityPolicy.authority(pem: try CertificateAuthority().pem)
            let api = try scene.session {
                $0.trust.policy = stranger
                $0.trust.hosts = ["origin.test": policy]
            }
            try await expectEqual(api.get(scene.url("/get")).status, 200)
        }
    }

    @Test("A proxy that impersonates the origin is refused")
    func impostor() async throws {
        try await ProxyScene.with(.http) { scene in
            let impostor = try CertificateAuthority().issue(hosts: ["origin.test"])
            try await TestServer.withServer(.init(tls: impostor)) { server in
                try await TestProxy.withProxy(.init(routes: ["origin.test:443": server.port])) { proxy in
                    await failure(try scene.session(proxy.url), scene.url("/get"), .issuer)
                    expectEqual(server.requestCount, 0)
                }
            }
        }
    }
}
