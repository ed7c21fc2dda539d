import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// https URLs through proxies of HTTP/2: CONNECT on a stream (RFC 9113, 8.5), and TLS with the origin inside.
@Suite("Proxies: tunnels over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2TunnelTests {
    static let inner: [ServerHTTP2] = [[], [.byALPN]]

    // MARK: CONNECT

    @Test("CONNECT names host and port, and the origin sees an ordinary request", arguments: inner)
    func connect(inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(http2: inner) { scene, engine in
            let reply = try await scene.session(engine).get(scene.url("/get?a=1"))
            expectEqual(reply.status, 200)
            expectEqual(reply.response.version, (inner.isEmpty ? .http11 : .http2))
            let seen = try #require(scene.proxy.requests().first)
            expectEqual(seen.method, "CONNECT")
            expectEqual(seen.target, "origin.test:443")
            #expect(seen.headers.fields.isEmpty, "\(seen.headers)")
            expectEqual(scene.origin.requests().map(\.target), ["/get?a=1"])
            expectEqual(scene.origin.requests().first?.headers.all("Host"), ["origin.test"])
            let tunnel = try #require(scene.proxy.tunnels().first)
            expectEqual(tunnel.tunnelled.first, 0x16)
            expectEqual(tunnel.status, 200)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test(
        "CONNECT has two pseudo-header fields, and credentials that are never indexed", arguments: [false, true])
    func block(hasCredentials: Bool) async throws {
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(tls: try authority.issue(hosts: ["localhost"])) { connection in
            try await connection.handshake()
            let request = try await connection.request()
            #expect(!request.endStream)
            expectEqual(request.method, "CONNECT")
            expectEqual(request.authority, "origin.test:8443")
            let credentials = hasCredentials ? ["proxy-authorization"] : []
            expectEqual(Set(request.names.prefix(2)), [":method", ":authority"])
            expectEqual(Array(request.names.dropFirst(2)), credentials)
            expectEqual(request["proxy-authorization"], (hasCredentials ? "Basic YWRhOnB3" : nil))
            expectEqual(request.neverIndexed, credentials)
            try await connection.roundTrip()
            // Nothing is sent into a tunnel that is not open.
            expectEqual(connection.dataCount(), 0)
            try await connection.respond(request.stream, status: 403)
        } body: { peer in
            let userinfo = hasCredentials ? "ada:pw@" : ""
            let api = try ProxyScene.session("https://\(userinfo)localhost:\(peer.port)", authority: authority)
            await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test:8443/row?secret=1") }
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("IPv6 addresses are in brackets", arguments: [("[::1]:9", "[::1]:9"), ("[::1]", "[::1]:443")])
    func address(host: String, target: String) async throws {
        try await ProxyScene.withTunnels { scene, engine in
            _ = try? await scene.session(engine).get("https://\(host)/")
            expectEqual(scene.proxy.requests().first?.target, target)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("The proxy sees only the authority of a request", arguments: inner)
    func secrets(inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(options: .guarded, http2: inner) { scene, engine in
            let api = try scene.session(engine) { $0.headers["X-Session"] = "hidden" }
            try await api.post(
                scene.url("/post?token=hidden"), parameters: ["password": "hidden"],
                headers: ["Cookie": "id=hidden", "Proxy-Authorization": "Basic hidden"]
            ) { $0.auth.header = .bearer("hidden") }
            let seen = try #require(scene.proxy.requests().first)
            #expect(!seen.text.contains("hidden"))
            expectEqual(seen.headers.fields.map(\.name), ["proxy-authorization"])
            expectEqual(seen.credentials, .init("ada", "pw"))
            expectEqual(scene.origin.requests().first?.headers["Authorization"], "Bearer hidden")
            scene.expectNoCredentials()
        }
    }

    @Test("Credentials go with every CONNECT and nowhere else", arguments: inner)
    func credentials(inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(origins: 3, options: .guarded, http2: inner) { scene, engine in
            let api = try scene.session(engine)
            // With certificates that are good for all of them, HTTP/2 inside may need one tunnel only.
            for number in 0..<3 { try await api.expect(scene, number) }
            #expect(scene.proxy.requests().allSatisfy { $0.credentials == .init("ada", "pw") })
            expectEqual(scene.proxy.requests().count, scene.proxy.tunnels().count)
            expectEqual(scene.origin.requestCount, 3)
            scene.expectNoCredentials()
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    // MARK: Where HTTP/2 is not spoken

    enum Old: CaseIterable {
        case session, policy

        func apply(_ settings: inout SessionSettings) {
            switch self {
            case .session: settings.network.http2 = .off
            case .policy: settings.trust.policy.tls.offersApplicationProtocols = false
            }
        }
    }

    @Test("A client that does not offer HTTP/2 speaks HTTP/1.1 to the proxy, too", arguments: Old.allCases)
    func old(old: Old) async throws {
        try await ProxyScene.withTunnels(http2: [.byALPN]) { scene, engine in
            let reply = try await scene.session(engine, old.apply).get(scene.url("/get"))
            expectEqual(reply.response.version, .http11)
            expectEqual(scene.proxy.requests().map(\.version), ["HTTP/1.1"])
            expectEqual(scene.proxy.requests().map(\.method), ["CONNECT"])
            // A session that offers it does not ride on the other's connection.
            try await scene.session(engine).expect(scene)
            expectEqual(scene.proxy.requests().map(\.version), ["HTTP/1.1", "HTTP/2"])
            expectEqual(scene.proxy.totalConnections, 2)
        }
    }

    @Test("Plain requests are forwarded by HTTP/1.1")
    func forwarded() async throws {
        try await ProxyScene.with(.http2, secure: false, options: .guarded) { scene in
            let api = try scene.session()
            for _ in 0..<3 { try await expectEqual(api.get(scene.url("/get")).status, 200) }
            expectEqual(scene.proxy.totalConnections, 1)
            expectEqual(scene.proxy.requests().map(\.method), ["GET", "GET", "GET"])
            #expect(scene.proxy.requests().allSatisfy { $0.version == "HTTP/1.1" })
        }
    }

    @Test("A connection for plain requests carries no tunnels, and one for tunnels no plain requests")
    func both() async throws {
        try await TestServer.withServer { plain in
            try await ProxyScene.withTunnels { scene, engine in
                let api = try scene.session(engine)
                for _ in 0..<2 {
                    try await api.expect(scene)
                    #expect(try await api.get("http://localhost:\(plain.port)/get").status == 200)
                }
                expectEqual(scene.proxy.totalConnections, 2)
                expectEqual(scene.proxy.connections().filter(\.isHTTP2).flatMap(\.requests).map(\.method), ["CONNECT"])
                expectEqual(plain.requestCount, 2)
            }
        }
    }

    // MARK: Trust inside

    private func rejected(
        _ api: Session, _ url: String, _ check: TrustFailure.Check, location: SourceLocation = #_sourceLocation
    ) async {
        let error = await Wire.failure(.certificateRejected, .tls, location: location) { try await api.get(url) }
        expectEqual((error?.underlying as? TrustFailure)?.check, check, sourceLocation: location)
        expectEqual(error?.requestSent, false, sourceLocation: location)
    }

    @Test("Pins apply to the origin's chain", arguments: inner)
    func pins(inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(http2: inner) { scene, engine in
            let right = try Pin.publicKey(of: scene.bundle.leafDER)
            let wrong = try Pin.publicKey(of: scene.authority.issue(hosts: ["origin.test"]).leafDER)
            func session(_ pin: Pin) throws -> Session {
                try scene.session(engine) { settings in
                    var pinned = settings.trust.policy
                    pinned.pins = [pin]
                    settings.trust.hosts = ["origin.test": pinned]
                }
            }
            try await session(right).expect(scene)
            await rejected(try session(wrong), scene.url("/get"), .pin)
            try await session(right).expect(scene)
            expectEqual(scene.origin.requestCount, 2)
            // A tunnel that did not come to be is given back; the proxy's connection has nothing to do with it.
            try await scene.proxy.waitForOpenTunnels(1, within: 60)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test(
        "A certificate for another name is refused, also one for the proxy's", arguments: ["other.test", "localhost"])
    func name(host: String) async throws {
        try await ProxyScene.with(.http2, originHosts: [host]) { scene in
            await rejected(try scene.session(), scene.url("/get"), .hostName)
            expectEqual(scene.origin.requestCount, 0)
            try await scene.proxy.waitForOpenTunnels(0, within: 60)
        }
    }

    @Test("A policy of the origin's host applies inside, one of the proxy's host outside")
    func policies() async throws {
        try await ProxyScene.withTunnels { scene, engine in
            let policy = SecurityPolicy.authority(pem: scene.authority.pem)
            let stranger = SecurityPolicy.authority(pem: try CertificateAuthority().pem)
            let good = try scene.session(engine) {
                $0.trust.policy = stranger
                $0.trust.hosts = ["localhost": policy, "origin.test": policy]
            }
            try await good.expect(scene)
            let inside = try scene.session(engine) { $0.trust.hosts = ["origin.test": stranger] }
            await rejected(inside, scene.url("/get"), .issuer)
            let seen = scene.proxy.requests().count
            let outside = try scene.session(engine) { $0.trust.hosts = ["localhost": stranger] }
            let error = await #expect(throws: SternaError.self) { try await outside.get(scene.url("/get")) }
            expectEqual(error?.kind, .certificateRejected)
            expectEqual((error?.underlying as? TrustFailure)?.check, .issuer)
            expectEqual(scene.proxy.requests().count, seen)
            try await good.expect(scene)
            expectEqual(scene.origin.requestCount, 2)
        }
    }

    // MARK: Content

    @Test("20 MB down and up arrive complete", arguments: inner)
    func large(inner: ServerHTTP2) async throws {
        let content = Wire.pattern(20_000_000)
        try await ProxyScene.withTunnels(http2: inner) { scene, engine in
            scene.origin.route("GET", "/pattern") { _ in .bytes(content) }
            scene.origin.route("PUT", "/pattern") { request in
                .text(try await request.body.collect(upTo: 32 << 20) == content ? "same" : "other")
            }
            let api = try scene.session(engine) {
                $0.limits.collectedBytes = 32 << 20
                $0.timeout = PoolSupport.ages
            }
            let reply = try await api.get(scene.url("/pattern"))
            #expect(Wire.same(reply.body, content))
            try await expectEqual(api.put(scene.url("/pattern"), body: .bytes(content)).text(), "same")
            let tunnel = try #require(scene.proxy.tunnels().first)
            #expect(tunnel.bytesFromClient > content.count)
            #expect(tunnel.bytesToClient > content.count)
            expectEqual(scene.proxy.tunnels().count, 1)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("Many concurrent requests of all sizes succeed", arguments: inner)
    func concurrent(inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(options: .guarded, http2: inner) { scene, engine in
            let api = try scene.session(engine)
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    let url = scene.url("/bytes/\(number * 1_000)")
                    group.addTask { try await api.get(url).body.readableBytes }
                }
                return try await group.reduce(0, +)
            }
            expectEqual(total, 4_950_000)
            scene.expectNoCredentials()
            scene.expectOnlyHTTP2()
        }
    }
}
