import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Proxies that are spoken to by TLS, with certificates of their own.
@Suite("Proxies: TLS to the proxy", .timeLimit(.minutes(5)))
struct TLSProxyTests {
    /// Where the handshake with a proxy fails is for the library to say; that it is about a certificate is not.
    private func rejected(
        _ api: Session, _ url: String, _ check: TrustFailure.Check, location: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await api.get(url) }
        expectEqual(error?.kind, .certificateRejected, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
        #expect(error?.phase == .tls || error?.phase == .proxy, sourceLocation: location)
        expectEqual((error?.underlying as? TrustFailure)?.check, check, sourceLocation: location)
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    @Test("A plain origin, and TLS in TLS", arguments: [false, true])
    func works(secure: Bool) async throws {
        try await ProxyScene.with(.https, secure: secure, options: .guarded) { scene in
            let api = try scene.session()
            for _ in 0..<3 { try await expectEqual(api.get(scene.url("/bytes/300000")).body.count, 300_000) }
            try await expectEqual(api.put(scene.url("/put"), body: .bytes(Wire.pattern(1_000_000))).status, 200)
            expectEqual(scene.origin.requests().last?.bodySize, 1_000_000)
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.proxy.requests().first?.method, (secure ? "CONNECT" : "GET"))
            #expect(scene.proxy.requests().allSatisfy { $0.credentials == .init("ada", "pw") })
            scene.expectNoCredentials()
        }
    }

    @Test("The proxy's certificate is evaluated for the proxy's host", arguments: [false, true])
    func name(secure: Bool) async throws {
        try await ProxyScene.with(.https, secure: secure, proxyHosts: ["origin.test", "other.test"]) { scene in
            await rejected(try scene.session(), scene.url("/get"), .hostName)
            #expect(scene.proxy.requests().isEmpty)
        }
    }

    @Test("The proxy's authority must be known", arguments: [false, true])
    func issuer(secure: Bool) async throws {
        try await ProxyScene.with(.https, secure: secure) { scene in
            let stranger = try CertificateAuthority()
            let bundle = try stranger.issue(hosts: ["localhost"])
            let routes = ["origin.test:443": scene.origin.port, "origin.test:80": scene.origin.port]
            try await TestProxy.withProxy(.init(.https(bundle), username: "ada", routes: routes)) { proxy in
                await rejected(try scene.session(proxy.urlWithCredentials), scene.url("/get"), .issuer)
                #expect(proxy.requests().isEmpty)
                expectEqual(scene.origin.requestCount, 0)
            }
        }
    }

    @Test("A host's policy also applies to the proxy's host")
    func policies() async throws {
        try await ProxyScene.with(.https) { scene in
            let policy = SecurityPolicy.authority(pem: scene.authority.pem)
            let stranger = SecurityPolicy.authority(pem: try CertificateAuthority().pem)
            let good = try scene.session {
                $0.trust.policy = stranger
                $0.trust.hosts = ["localhost": policy, "origin.test": policy]
            }
            try await expectEqual(good.get(scene.url("/get")).status, 200)
            let bad = try scene.session { $0.trust.hosts = ["localhost": stranger] }
            await rejected(bad, scene.url("/get"), .issuer)
        }
    }

    @Test("A file goes to a plain origin through TLS to the proxy, which cannot be sent from the file itself")
    func file() async throws {
        let content = [UInt8](repeating: 0x5A, count: 300_000)
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UUID().uuidString)").path
        try Data(content).write(to: URL(filePath: path), options: .withoutOverwriting)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await ProxyScene.with(.https, secure: false) { scene in
            let api = try scene.session()
            let reply = try await api.put(scene.url("/put"), body: try .file(path))
            expectEqual(reply.status, 200)
            expectEqual(scene.origin.requests().last?.bodySize, content.count)
        }
    }

    @Test("A proxy without TLS fails if TLS is expected")
    func clear() async throws {
        try await TestProxy.withProxy { proxy in
            let api = try ProxyScene.session("https://localhost:\(proxy.port)").with {
                $0.timeouts.proxy = .milliseconds(500)
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("https://origin.test/") }
            // It waits for a line end, which a handshake may or may not hold.
            #expect(error?.kind == .tlsFailed || error?.kind == .timedOut, "\(error as Any)")
            expectEqual(error?.phase, .proxy)
            #expect(proxy.requests().isEmpty)
        }
    }
}
