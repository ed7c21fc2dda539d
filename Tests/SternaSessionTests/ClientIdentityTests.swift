import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Client identities", .timeLimit(.minutes(5)))
struct ClientIdentityTests {
    private let authority = Result { try CertificateAuthority() }

    private func identity(_ authority: CertificateAuthority, _ name: String) throws -> ClientIdentity {
        let bundle = try authority.issue(
            CertificateOptions(hosts: [], commonName: name, extendedKeyUsage: [.clientAuthentication]))
        return try ClientIdentity(
            certificates: Array(bundle.certificateChainPEM.utf8), privateKey: Array(bundle.privateKeyPEM.utf8))
    }

    /// A server that wants certificates of an authority, of one version of TLS.
    private func withServer(
        _ version: ServerTLSVersion = .tls13, _ work: (TestServer, CertificateAuthority) async throws -> Void
    ) async throws {
        let authority = try authority.get()
        var settings = ServerTLSSettings()
        settings.clientAuthorities = [authority.pem]
        settings.minimumVersion = version
        settings.maximumVersion = version
        var options = TestServer.Options(tls: try authority.issue())
        options.tlsSettings = settings
        try await TestServer.withServer(options) { server in
            try await work(server, authority)
        }
    }

    private func session(_ authority: CertificateAuthority, _ change: (inout SecurityPolicy) -> Void = { _ in }) throws
        -> Session
    {
        var policy = SecurityPolicy.authority(pem: authority.pem)
        change(&policy)
        return try Session { settings in
            settings.network.engine = Engine()
            settings.trust.policy = policy
            settings.responseSerializer = .data
        }
    }

    @Test("An identity is presented to a server that requests it", arguments: [ServerTLSVersion.tls12, .tls13])
    func shown(version: ServerTLSVersion) async throws {
        try await withServer(version) { server, authority in
            let own = try identity(authority, "Ada")
            expectEqual(own.certificate?.subject, "CN=Ada")
            let api = try session(authority) { $0.identity = own }
            for _ in 0..<3 { try await expectEqual(api.get(server.url("/get")).status, 200) }
            expectEqual(server.totalConnections, 1)
            // The same of another session is the same connection, another identity is another one.
            let stranger = try session(authority) { $0.identity = try? identity(authority, "Eve") }
            try await expectEqual(stranger.get(server.url("/get")).status, 200)
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test(
        "Without one, and with one of another authority, the error says so",
        arguments: [ServerTLSVersion.tls12, .tls13])
    func refused(version: ServerTLSVersion) async throws {
        try await withServer(version) { server, authority in
            let other = try identity(CertificateAuthority(commonName: "Other"), "Eve")
            for own in [nil, other] {
                let api = try session(authority) { $0.identity = own }
                let error = try #require(
                    await #expect(throws: SternaError.self) {
                        try await api.post(server.url("/post"), body: .text("x"))
                    })
                expectEqual(error.kind, .tlsFailed)
                #expect(error.description.contains("client certificate"), "\(error)")
                #expect(!error.description.contains("OPENSSL"), "\(error)")
                expectEqual(error.attempt, 1)
            }
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("A handshake that fails without an identity is not repeated", arguments: [ServerTLSVersion.tls12, .tls13])
    func once(version: ServerTLSVersion) async throws {
        try await withServer(version) { server, authority in
            let api = try session(authority).with {
                $0.retry = .transient
                $0.retry.backoff = .constant(.milliseconds(1))
            }
            let error = await #expect(throws: SternaError.self) { try await api.get(server.url("/get")) }
            expectEqual(error?.kind, .tlsFailed)
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("After a replacement new connections have the new identity, and old ones are not reused")
    func rotation() async throws {
        try await withServer { server, authority in
            let rotating = RotatingIdentity(try identity(authority, "One"))
            let api = try session(authority) { $0.rotatingIdentity = rotating }
            try await api.get(server.url("/get"))
            try await api.get(server.url("/get"))
            expectEqual(server.totalConnections, 1)
            rotating.current = try identity(authority, "Two")
            try await api.get(server.url("/get"))
            expectEqual(server.totalConnections, 2)
            try await server.waitForOpenConnections(1, within: 60)
            rotating.current = nil
            await #expect(throws: SternaError.self) { try await api.get(server.url("/get")) }
        }
    }

    @Test("A waiting request does not get a connection with the identity that was replaced")
    func rotationUnderLoad() async throws {
        try await withServer { server, authority in
            let (reached, open) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            server.route("GET", "/slow") { _ in
                reached.continuation.yield()
                for await _ in open.stream { break }
                return ServerResponse()
            }
            let rotating = RotatingIdentity(try identity(authority, "One"))
            var policy = SecurityPolicy.authority(pem: authority.pem)
            policy.rotatingIdentity = rotating
            let made = policy
            let api = try Session { settings in
                var options = EngineOptions()
                options.maximumConnectionsPerOrigin = 1
                settings.network.engine = Engine(options: options)
                settings.trust.policy = made
                settings.responseSerializer = .data
            }
            async let first = api.get(server.url("/slow"))
            for await _ in reached.stream { break }
            rotating.current = try identity(authority, "Two")
            async let second = api.get(server.url("/get"))
            open.continuation.yield()
            try await expectEqual([first.status, second.status], [200, 200])
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test("A rotating identity does not prevent the reuse of plain connections")
    func rotationPlain() async throws {
        try await TestServer.withServer { server in
            let api = try session(authority.get()) { $0.rotatingIdentity = RotatingIdentity() }
            for _ in 0..<3 { try await api.get(server.url("/get")) }
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("An identity is presented only to the base URL's origin; an inspection presents none")
    func origin() async throws {
        try await withServer { one, authority in
            try await withServer { two, _ in
                var policy = SecurityPolicy.authority(pem: authority.pem)
                policy.identity = try identity(authority, "Ada")
                let made = policy
                let api = try Session(baseURL: one.url("/")) { settings in
                    settings.network.engine = Engine()
                    settings.trust.policy = made
                    settings.responseSerializer = .data
                    settings.network.allowsOtherOrigins = true
                }
                try await expectEqual(api.get("get").status, 200)
                await #expect(throws: SternaError.self) { try await api.get(two.url("/get")) }
                await #expect(throws: SternaError.self) { try await api.get("redirect-to?url=\(two.url("/get"))") }
                expectEqual(two.requestCount, 0)
                let seen = try await api.inspectTrust(of: one.url("/"))
                expectEqual(seen.evaluation.verdict, .trusted)
            }
        }
    }

    @Test("A handler that never returns meets the handshake's time-out; one that refuses fails it")
    func silentHandler() async throws {
        try await withServer { server, authority in
            for (answer, kind) in [(true, SternaError.Kind.certificateRejected), (false, .timedOut)] {
                let api = try session(authority) { policy in
                    policy.challengeHandler = ChallengeHandler { challenge in
                        guard case .clientIdentity = challenge.subject else { return .useDefault }
                        if answer { return .reject(reason: "no") }
                        try? await Task.sleep(for: .seconds(600))
                        return .useDefault
                    }
                }
                let error = await #expect(throws: SternaError.self) {
                    try await api.with { $0.timeouts.tls = .milliseconds(200) }.get(server.url("/get"))
                }
                expectEqual(error?.kind, kind)
                expectEqual(error?.phase, .tls)
            }
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("A challenge handler supplies an identity for each connection, and receives its server")
    func challenge() async throws {
        try await withServer { server, authority in
            let own = try identity(authority, "Ada")
            let asked = Mutex<[String]>([])
            let api = try session(authority) { policy in
                policy.challengeHandler = ChallengeHandler { challenge in
                    switch challenge.subject {
                    case .clientIdentity:
                        asked.withLock { $0.append("identity \(challenge.host)") }
                        return .identity(own)
                    case .serverTrust(let evaluation):
                        asked.withLock { $0.append("trust \(evaluation.verdict == .trusted)") }
                        return .useDefault
                    }
                }
            }
            try await api.get(server.url("/get"))
            try await api.get(server.url("/get"))
            expectEqual(asked.withLock { $0 }, ["identity localhost", "trust true"])
        }
    }

    @Test("The policy of one host has an identity, and the other hosts receive none")
    func byHost() async throws {
        try await withServer { server, authority in
            var own = SecurityPolicy.authority(pem: authority.pem)
            own.identity = try identity(authority, "Ada")
            let api = try session(authority).with { $0.trust.hosts = ["127.0.0.1": own] }
            #expect(try await api.get("https://127.0.0.1:\(server.port)/get").status == 200)
            await #expect(throws: SternaError.self) { try await api.get("https://localhost:\(server.port)/get") }
        }
    }

    @Test("A foreign, missing or unreadable key is an error when the identity is created")
    func unusable() throws {
        let authority = try authority.get()
        let (one, two) = (try authority.issue(), try authority.issue())
        let attempts: [(String, String, String)] = [
            (one.certificateChainPEM, two.privateKeyPEM, "does not belong"),
            (one.certificateChainPEM, "", "no private key"),
            (one.certificateChainPEM, one.certificateChainPEM, "no private key"),
            ("", one.privateKeyPEM, "no certificate"),
            (one.certificateChainPEM, one.privateKeyPEM.replacing("M", with: "A"), "cannot be read"),
        ]
        for (chain, key, reason) in attempts {
            let error = #expect(throws: SternaError.self) {
                try ClientIdentity(certificates: Array(chain.utf8), privateKey: Array(key.utf8))
            }
            expectEqual(error?.kind, .identityUnusable)
            expectEqual(error?.detail.lowercased().contains(reason), true, "\(error?.detail ?? "")")
        }
    }

    @Test("The key is in no mirror and no description")
    func hidden() throws {
        let own = try identity(try authority.get(), "Ada")
        var text = ""
        dump(own, to: &text)
        text += "\(own)" + String(reflecting: own)
        #expect(text.contains("Ada"))
        #expect(!text.contains("privateKey"))
        var policy = SecurityPolicy()
        policy.identity = own
        text = ""
        dump(policy, to: &text)
        #expect(!text.contains("privateKey"))
    }
}
