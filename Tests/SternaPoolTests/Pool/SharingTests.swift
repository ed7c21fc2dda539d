import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Connections that differ in what they may be used for are never shared; those that do not are.
@Suite("Pool: what is shared", .timeLimit(.minutes(5)))
struct SharingTests {
    private func identity(_ authority: CertificateAuthority, _ name: String) throws -> ClientIdentity {
        let bundle = try authority.issue(
            CertificateOptions(hosts: [], commonName: name, extendedKeyUsage: [.clientAuthentication]))
        return try ClientIdentity(
            certificates: Array(bundle.certificateChainPEM.utf8), privateKey: Array(bundle.privateKeyPEM.utf8))
    }

    /// Each session must come with a connection of its own, and find it again.
    private func expectApart(
        _ sessions: [Session], _ engine: Engine, _ server: TestServer, location: SourceLocation = #_sourceLocation
    ) async throws {
        for round in 0..<2 {
            for (number, api) in sessions.enumerated() {
                try await expectEqual(api.get("1k").status, 200, sourceLocation: location)
                let wanted = round == 0 ? number + 1 : sessions.count
                expectEqual(server.totalConnections, wanted, "session \(number)", sourceLocation: location)
            }
        }
        let connections = server.requests().map(\.connection)
        expectEqual(connections, Array(0..<sessions.count) + Array(0..<sessions.count), sourceLocation: location)
        await expectEqual(engine.statistics().reuses, sessions.count, sourceLocation: location)
    }

    @Test("Trust, identities and server names separate connections")
    func trust() async throws {
        let authority = try CertificateAuthority()
        var settings = ServerTLSSettings()
        settings.clientAuthorities = [authority.pem]
        var options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]))
        options.tlsSettings = settings
        let everybody = try identity(authority, "everybody")
        try await TestServer.withServer(options) { server in
            let engine = PoolSupport.engine()
            var policies: [SecurityPolicy] = []
            var policy = SecurityPolicy.authority(pem: authority.pem)
            policy.identity = everybody
            policies.append(policy)
            policy.identity = try identity(authority, "ada")
            policies.append(policy)
            policy.identity = try identity(authority, "bob")
            policies.append(policy)
            policy = .insecure
            policy.identity = everybody
            policies.append(policy)
            policy = .authority(pem: authority.pem + (try CertificateAuthority().pem))
            policy.identity = everybody
            policies.append(policy)
            policy = .authority(pem: authority.pem)
            policy.identity = everybody
            policy.tls.serverName = "other.test"
            policies.append(policy)
            let sessions = try policies.map { policy in
                try PoolSupport.session(server.url, engine) { $0.trust.policy = policy }
            }
            try await expectApart(sessions, engine, server)
            // Equal policies are one, and what says nothing of connections does not count.
            let same = try PoolSupport.session(server.url, engine) {
                $0.trust.policy = policies[0]
                $0.headers["X-Other"] = "1"
                $0.timeouts.total = .seconds(77)
                $0.events.collectsMetrics = true
            }
            try await expectEqual(same.get("1k").status, 200)
            expectEqual(server.totalConnections, sessions.count)
        }
    }

    @Test("A session that does not trust the server does not share a trusting one's connection")
    func stranger() async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]))
        try await TestServer.withServer(options) { server in
            let engine = PoolSupport.engine()
            let good = try PoolSupport.session(server.url, engine, authority: authority)
            let stranger = try PoolSupport.session(server.url, engine, authority: try CertificateAuthority())
            for _ in 0..<3 {
                try await expectEqual(good.get("1k").status, 200)
                await Wire.failure(.certificateRejected, .tls) { try await stranger.get("1k") }
            }
            expectEqual(server.requestCount, 3)
        }
    }

    @Test("A session with a refusing dial policy does not use another's connection")
    func dialPolicies() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine()
            let policies: [DialPolicy] = [.all, .custom("one") { _, _, _ in true }, .custom("one") { _, _, _ in true }]
            let sessions = try policies.map { policy in
                try PoolSupport.session(server.url, engine) { $0.network.dialPolicy = policy }
            }
            try await expectApart(sessions, engine, server)
            let refused = try PoolSupport.session(server.url, engine) { $0.network.dialPolicy = .publicOnly }
            await Wire.failure(.addressRefused, .connect) { try await refused.get("1k") }
            expectEqual(server.totalConnections, sessions.count)
        }
    }

    @Test("Routes separate connections: direct, each proxy, each of its users, and a socket")
    func routes() async throws {
        try await TestServer.withServer { server in
            let routes = ["origin.test:80": server.port]
            try await TestProxy.withProxy(.init(routes: routes)) { proxy in
                try await TestProxy.withProxy(.init(routes: routes)) { other in
                    let engine = PoolSupport.engine { $0.hostOverrides = ["origin.test:80": ["127.0.0.1"]] }
                    let urls = [
                        proxy.url, other.url, proxy.url(username: "ada", password: "1"),
                        proxy.url(username: "bob", password: "2"),
                    ]
                    let sessions = try urls.map { url in
                        let proxy = try Proxy(url)
                        return try PoolSupport.session("http://origin.test", engine) {
                            $0.network.proxies = .proxy(proxy)
                        }
                    }
                    for _ in 0..<2 { for api in sessions { try await expectEqual(api.get("/1k").status, 200) } }
                    expectEqual(proxy.totalConnections, 3)
                    expectEqual(other.totalConnections, 1)
                    await expectEqual(engine.statistics().dials, 4)
                    // Nobody's credentials are on another one's connection.
                    for connection in proxy.connections() {
                        expectEqual(Set(connection.requests.map(\.credentials)).count, 1)
                        expectEqual(connection.requests.count, 2)
                    }
                    let nowhere = try PoolSupport.session("http://origin.test", engine) {
                        $0.network.unixSocket = "/nonexistent/sterna.socket"
                    }
                    await Wire.failure(.connectionFailed, .connect) { try await nowhere.get("/1k") }
                }
            }
        }
    }

    @Test("Engines share nothing")
    func engines() async throws {
        try await TestServer.withServer { server in
            let engines = [PoolSupport.engine(), PoolSupport.engine(), PoolSupport.engine()]
            for engine in engines {
                let api = try PoolSupport.session(server.url, engine)
                for _ in 0..<2 { try await expectEqual(api.get("1k").status, 200) }
                await expectEqual(engine.statistics().requests, 2)
            }
            expectEqual(server.totalConnections, 3)
        }
    }

    @Test("Hosts with different names are different origins; case and the default port do not matter")
    func origins() async throws {
        try await TestServer.withServer { server in
            let engine = PoolSupport.engine {
                $0.hostOverrides = ["one.test:\(server.port)": ["127.0.0.1"], "two.test:\(server.port)": ["127.0.0.1"]]
            }
            for (host, connections) in [("one.test", 1), ("two.test", 2), ("ONE.test", 2), ("Two.Test", 2)] {
                let api = try PoolSupport.session("http://\(host):\(server.port)", engine)
                try await expectEqual(api.get("1k").status, 200)
                expectEqual(server.totalConnections, connections, "\(host)")
            }
        }
    }
}
