import Sterna
import SternaPlatform
import SternaTesting
import Testing

#if Foundation
import Foundation

@testable import SternaTestSupport
#endif

@Suite("Trust over connections", .timeLimit(.minutes(5)))
struct TrustSessionTests {
    private func session(
        _ policy: SecurityPolicy, hosts: HostPolicies = [:], overrides: [String: [String]] = [:],
        clock: NetworkClock = .system
    ) throws -> Session {
        try Session { settings in
            var options = EngineOptions()
            options.hostOverrides = overrides
            options.clock = clock
            settings.network.engine = Engine(options: options)
            settings.trust.policy = policy
            settings.trust.hosts = hosts
            settings.responseSerializer = .data
        }
    }

    private func status(_ policy: SecurityPolicy, _ url: String) async throws -> Int {
        try await session(policy).get(url).status
    }

    private func failure(_ api: Session, _ url: String) async throws -> (error: SternaError, trust: TrustFailure) {
        let error = try #require(await #expect(throws: SternaError.self) { try await api.get(url) })
        expectEqual(error.kind, .certificateRejected)
        #expect(!error.requestSent)
        return (error, try #require(error.underlying as? TrustFailure))
    }

    @Test(
        "Pins for a base URL without TLS, pins that are none, and versions that do not meet are errors of the session")
    func configuration() throws {
        let pin = try Pin("sha256/\(Data(repeating: 1, count: 32).base64EncodedString())")
        func make(_ base: String, _ change: (inout SecurityPolicy) -> Void) throws(SternaError) -> Session {
            var policy = SecurityPolicy()
            change(&policy)
            return try Session(baseURL: base) { $0.trust.policy = policy }
        }
        _ = try make("https://example.com") { $0.pins = [pin] }
        let changes: [(String, @Sendable (inout SecurityPolicy) -> Void)] = [
            ("http://example.com", { $0.pins = [pin] }), ("https://example.com", { $0.pins = ["sha256/none"] }),
            (
                "https://example.com",
                {
                    $0.tls.minimumVersion = .tls13
                    $0.tls.maximumVersion = .tls12
                }
            ),
            ("https://example.com", { $0.tls.cipherSuites = [] }),
            ("https://example.com", { $0.tls.serverName = "a b" }),
            ("https://example.com", { $0.tls.serverName = "127.0.0.1" }),
        ]
        for (base, change) in changes {
            let error = #expect(throws: SternaError.self) { try make(base, change) }
            expectEqual(error?.kind, .invalidRequest)
        }
        let derived = try Session(baseURL: "https://example.com").with { $0.trust.policy.pins = ["nothing"] }
        #expect(throws: SternaError.self) { try derived.request(for: .get("a")) }
    }

    @Test("Pins apply to the connection, and to the target of a redirect")
    func redirects() async throws {
        let authority = try CertificateAuthority()
        let (first, second) = (try authority.issue(), try authority.issue())
        try await TestServer.withServer(.init(tls: first)) { one in
            try await TestServer.withServer(.init(tls: second)) { two in
                var policy = SecurityPolicy.authority(pem: authority.pem)
                policy.pins = [try .publicKey(of: first.leafDER)]
                let api = try session(policy)
                try await expectEqual(api.get(one.url("/get")).status, 200)
                let (error, trust) = try await failure(api, one.url("/redirect-to?url=\(two.url("/get"))"))
                expectEqual(trust.check, .pin)
                #expect(error.description.contains(try Pin.publicKey(of: second.leafDER).description))
                expectEqual(two.requestCount, 0)
                var both = policy
                both.pins.insert(try .publicKey(of: second.leafDER))
                try await expectEqual(status(both, one.url("/redirect-to?url=\(two.url("/get"))")), 200)
            }
        }
    }

    @Test("A host's policy is chosen by the name in the URL, and may be required of every host")
    func hosts() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["a.test", "b.a.test", "other.test"])
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let names = ["a.test", "b.a.test", "other.test"]
            let overrides = Dictionary(uniqueKeysWithValues: names.map { ("\($0):\(server.port)", ["127.0.0.1"]) })
            var pinned = SecurityPolicy.authority(pem: authority.pem)
            pinned.pins = [try .publicKey(of: CertificateBundle.selfSigned().leafDER)]
            var hosts: HostPolicies = ["a.test": .authority(pem: authority.pem), "*.a.test": pinned]
            let api = try session(.authority(pem: authority.pem), hosts: hosts, overrides: overrides)
            func url(_ host: String) -> String { "https://\(host):\(server.port)/get" }
            try await expectEqual(api.get(url("a.test")).status, 200)
            try await expectEqual(api.get(url("A.TEST")).status, 200)
            try await expectEqual(failure(api, url("b.a.test")).trust.check, .pin)
            try await expectEqual(api.get(url("other.test")).status, 200)
            hosts.everyHostNeedsOne = true
            let strict = try session(.authority(pem: authority.pem), hosts: hosts, overrides: overrides)
            try await expectEqual(strict.get(url("a.test")).status, 200)
            try await expectEqual(failure(strict, url("other.test")).trust.check, .policy)
        }
    }

    @Test("Nothing is sent without TLS to a host whose keys are pinned, or that needs a policy and has none")
    func plain() async throws {
        try await TestServer.withServer { server in
            var policy = SecurityPolicy()
            policy.pins = [try .publicKey(of: CertificateBundle.selfSigned().leafDER)]
            var strict = HostPolicies()
            strict.everyHostNeedsOne = true
            for (policy, hosts) in [
                (policy, HostPolicies()), (.system, ["127.0.0.1": policy, "localhost": policy]), (.system, strict),
            ] {
                let (_, trust) = try await failure(session(policy, hosts: hosts), server.url("/get"))
                expectEqual(trust.check, .policy)
            }
            expectEqual(server.totalConnections, 0)
        }
    }

    @Test("Connections are not shared by sessions that trust differently")
    func pools() async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(.init(tls: try authority.issue())) { server in
            let base = try session(.authority(pem: authority.pem))
            let evaluator = TrustEvaluator { $0.verdict }
            let changes: [@Sendable (inout SecurityPolicy) -> Void] = [
                { _ in }, { $0.validatesDomainName = false }, { $0.tls.minimumVersion = .tls13 },
                { $0.tls.serverName = "localhost" }, { $0.roots = .system + .pem(authority.pem) },
                { $0.evaluators = [evaluator] }, { $0 = .insecure },
            ]
            for (number, change) in changes.enumerated() {
                let (one, other) = (base.with { change(&$0.trust.policy) }, base.with { change(&$0.trust.policy) })
                try await one.get(server.url("/get"))
                try await other.get(server.url("/get"))
                expectEqual(server.totalConnections, number + 1)
            }
        }
    }

    @Test("Without a common TLS version or cipher suite the handshake fails")
    func versions() async throws {
        let authority = try CertificateAuthority()
        var old = ServerTLSSettings()
        old.minimumVersion = .tls12
        old.maximumVersion = .tls12
        var options = TestServer.Options(tls: try authority.issue())
        options.tlsSettings = old
        try await TestServer.withServer(options) { server in
            var policy = SecurityPolicy.authority(pem: authority.pem)
            let seen = try await session(policy).inspectTrust(of: server.url("/"))
            expectEqual(seen.version, .tls12)
            policy.tls.cipherSuites = [.ecdheECDSAWithChaCha20]
            try await expectEqual(status(policy, server.url("/get")), 200)
            policy.tls.cipherSuites = [.ecdheRSAWithAES128GCM]
            let suite = await #expect(throws: SternaError.self) { try await session(policy).get(server.url("/get")) }
            expectEqual(suite?.kind, .tlsFailed)
            policy.tls = TLSOptions()
            policy.tls.minimumVersion = .tls13
            let error = await #expect(throws: SternaError.self) { try await session(policy).get(server.url("/get")) }
            expectEqual(error?.kind, .tlsFailed)
            expectEqual(error?.detail.contains("versions"), true, "\(error?.detail ?? "")")
        }
    }

    @Test("An inspection shows the server's certificates and the verdict, trusted or not")
    func inspection() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issueIntermediate().issue()
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let good = try await session(.authority(pem: authority.pem)).inspectTrust(of: server.url("/"))
            expectEqual(good.evaluation.verdict, .trusted)
            expectEqual(good.evaluation.certificates.count, 2)
            expectEqual(good.evaluation.chain.count, 3)
            expectEqual(good.version, .tls13)
            let bad = try await session(.authority(pem: try CertificateAuthority().pem)).inspectTrust(
                of: server.url("/"))
            expectEqual(bad.evaluation.verdict.failure?.check, .issuer)
            expectEqual(bad.evaluation.certificates.first?.pin, "\(try Pin.publicKey(of: bundle.leafDER))")
            expectEqual(server.requestCount, 0)
            await #expect(throws: SternaError.self) { try await Session().inspectTrust(of: "http://127.0.0.1:1/") }
            await #expect(throws: SternaError.self) { try await Session().inspectTrust(of: "https://127.0.0.1:1/") }
        }
    }

    @Test("TLS keys are logged on request, to a file that only its owner can read")
    func keyLog() async throws {
        let authority = try CertificateAuthority()
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-keys-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await TestServer.withServer(.init(tls: try authority.issue())) { server in
            var policy = SecurityPolicy.authority(pem: authority.pem)
            policy.tls.keyLogFile = path
            try await session(policy).get(server.url("/get"))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 "))
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            let shared = path + ".shared"
            #expect(
                FileManager.default.createFile(atPath: shared, contents: nil, attributes: [.posixPermissions: 0o644]))
            defer { try? FileManager.default.removeItem(atPath: shared) }
            policy.tls.keyLogFile = shared
            await #expect(throws: SternaError.self) { try await session(policy).get(server.url("/get")) }
            policy.tls.keyLogFile = "/nowhere/keys"
            let error = await #expect(throws: SternaError.self) { try await session(policy).get(server.url("/get")) }
            expectEqual(error?.kind, .tlsFailed)
        }
    }

    @Test("An evaluator that takes too long runs into the handshake's time-out")
    func slow() async throws {
        let authority = try CertificateAuthority()
        let (time, begun) = (TestClock(), Counter())
        try await TestServer.withServer(.init(tls: try authority.issue())) { server in
            var policy = SecurityPolicy.authority(pem: authority.pem)
            policy.evaluators = [
                TrustEvaluator { evaluation in
                    begun.add()
                    await Gate().pass()
                    return evaluation.verdict
                }
            ]
            let api = try session(policy, clock: time.clock)
            let url = server.url("/get")
            let task = Task { try await api.get(url) { $0.timeouts.tls = .milliseconds(200) } }
            #expect(await eventually { begun.value == 1 })
            await time.advance(by: .milliseconds(200))
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .tls)
        }
    }

    @Test("Roots of a folder, in DER, and added to the system's; SNI of another name, judged by the host's")
    func roots() async throws {
        let authority = try CertificateAuthority()
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-roots-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(authority.der).write(to: URL(filePath: "\(folder)/root.der"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/0a1b2c3d.0", withDestinationPath: "\(folder)/none")
        try await TestServer.withServer(.init(tls: try authority.issue())) { server in
            for roots in [
                TrustRoots.folder(folder), .file("\(folder)/root.der"), .certificates([authority.der]),
                .system + .certificates([authority.der]),
            ] {
                let answer = try await status(SecurityPolicy(roots: roots), server.url("/get"))
                expectEqual(answer, 200)
            }
            var policy = SecurityPolicy(roots: .folder(folder))
            policy.tls.serverName = "front.test"
            let answer = try await status(policy, server.url("/get"))
            expectEqual(answer, 200)
        }
    }

    #if Foundation
    @Test("Pins and roots of a bundle")
    func bundle() async throws {
        let authority = try CertificateAuthority()
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UUID().uuidString).bundle").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(authority.der).write(to: URL(filePath: "\(folder)/root.cer"))
        let bundle = try #require(Bundle(path: folder))
        try expectEqual(Pin.certificates(bundle: bundle), [.certificate(authority.der)])
        try expectEqual(Pin.publicKeys(bundle: bundle), [.publicKey(of: authority.der)])
        try await TestServer.withServer(.init(tls: try authority.issue())) { server in
            let answer = try await status(SecurityPolicy(roots: .bundle(bundle)), server.url("/get"))
            expectEqual(answer, 200)
        }
    }
    #endif
}
