import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("TLS connections", .timeLimit(.minutes(5)))
struct TLSSessionTests {
    private func session(_ policy: SecurityPolicy) throws -> Session {
        try Session {
            $0.network.engine = Engine()
            $0.trust.policy = policy
            $0.responseSerializer = .data
        }
    }

    private func error(_ policy: SecurityPolicy, _ url: String) async throws -> SternaError {
        let api = try session(policy)
        return try #require(await #expect(throws: SternaError.self) { try await api.get(url) })
    }

    private func checkRejection(_ error: SternaError, says reason: String) {
        expectEqual(error.kind, .certificateRejected)
        expectEqual(error.phase, .tls)
        #expect(!error.requestSent)
        expectEqual(error.attempt, 1)
        #expect(error.description.contains(reason), "\(error)")
        #expect(!error.description.contains { $0.isNewline })
        #expect(error.url?.hasPrefix("https://") == true)
    }

    private func serve<R>(_ bundle: CertificateBundle, _ work: (TestServer) async throws -> R) async throws -> R {
        try await TestServer.withServer(.init(tls: bundle), work)
    }

    @Test("A certificate is accepted if its authority is trusted, as text and as a file")
    func accepted() async throws {
        let authority = try CertificateAuthority()
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-ca-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try authority.writePEM(toPath: path)
        try await serve(authority.issue()) { server in
            for policy in [SecurityPolicy.authority(pem: authority.pem), .authority(file: path)] {
                let api = try session(policy)
                try await expectEqual(api.get(server.url("/get")).status, 200)
                try await expectEqual(api.get(server.url("/get")).status, 200)
            }
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test("A chain with intermediates is accepted, and rejected if the server omits one")
    func intermediates() async throws {
        let authority = try CertificateAuthority()
        let lower = try authority.issueIntermediate().issueIntermediate(commonName: "Lower CA")
        try await serve(lower.issue()) { server in
            let api = try session(.authority(pem: authority.pem))
            try await expectEqual(api.get(server.url("/get")).status, 200)
        }
        try await serve(lower.issue(CertificateOptions(includesIntermediates: false))) { server in
            checkRejection(try await error(.authority(pem: authority.pem), server.url("/get")), says: "Lower CA")
        }
    }

    @Test("A certificate of an unknown authority is rejected on one connection, and nothing is sent")
    func refused() async throws {
        let authority = try CertificateAuthority(commonName: "Private CA")
        try await serve(authority.issue()) { server in
            let start = ContinuousClock.now
            let policies = [SecurityPolicy.authority(pem: try CertificateAuthority().pem)]
            for policy in policies {
                checkRejection(try await error(policy, server.url("/get?token=s3cret")), says: "Private CA")
            }
            #expect(ContinuousClock.now - start < .seconds(100))
            expectEqual(server.totalConnections, 1)
            expectEqual(server.requestCount, 0)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("The system's roots do not include a private authority")
    func system() async throws {
        try await serve(CertificateAuthority().issue()) { server in
            let refused = try await error(.system, server.url("/get"))
            expectEqual(refused.kind, .certificateRejected)
            expectEqual(refused.phase, .tls)
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("An invalid certificate is rejected, and the message states the reason", arguments: 0..<7)
    func wrong(number: Int) async throws {
        let authority = try CertificateAuthority(notBefore: Date(timeIntervalSinceNow: -40 * 86_400))
        let day = 86_400.0
        let cases: [(CertificateBundle, String)] = [
            (try authority.issue(hosts: ["www.example.test"]), "www.example.test"),
            (
                try authority.issue(
                    CertificateOptions(
                        notBefore: Date(timeIntervalSinceNow: -20 * day),
                        notAfter: Date(timeIntervalSinceNow: -10 * day))),
                "expired"
            ),
            (
                try authority.issue(CertificateOptions(notBefore: Date(timeIntervalSinceNow: 5 * day))),
                "not valid before"
            ),
            (
                try authority.issue(CertificateOptions(commonName: "localhost", omitsSubjectAlternativeName: true)),
                "not for localhost"
            ),
            (try authority.issue(hosts: ["127.0.0.1"]), "not for localhost"),
            (try authority.issue(CertificateOptions(extendedKeyUsage: [.clientAuthentication])), "extended key usage"),
            (try CertificateBundle.selfSigned(), "self-signed"),
        ]
        let (bundle, reason) = cases[number]
        try await serve(bundle) { server in
            checkRejection(try await error(.authority(pem: authority.pem), server.url("/get")), says: reason)
            expectEqual(server.requestCount, 0)
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("The insecure policy accepts any certificate")
    func insecure() async throws {
        let expired = CertificateOptions(
            hosts: ["other.test"], notBefore: Date(timeIntervalSinceNow: -20), notAfter: Date(timeIntervalSinceNow: -10)
        )
        try await serve(CertificateBundle.selfSigned(expired)) { server in
            let api = try session(.insecure)
            try await expectEqual(api.get(server.url("/get")).status, 200)
        }
    }

    @Test("Policies do not share connections")
    func separation() async throws {
        let authority = try CertificateAuthority()
        try await serve(authority.issue()) { server in
            let api = try session(.insecure)
            try await api.get(server.url("/get"))
            let other = try CertificateAuthority().pem
            let strict = api.with { $0.trust.policy = .authority(pem: other) }
            let refused = await #expect(throws: SternaError.self) { try await strict.get(server.url("/get")) }
            expectEqual(refused?.kind, .certificateRejected)
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("An address in the URL matches only an address in the certificate")
    func address() async throws {
        let authority = try CertificateAuthority()
        let policy = SecurityPolicy.authority(pem: authority.pem)
        try await serve(authority.issue(hosts: ["127.0.0.1"])) { server in
            let api = try session(policy)
            #expect(try await api.get("https://127.0.0.1:\(server.port)/get").status == 200)
        }
        try await serve(authority.issue(hosts: ["localhost"])) { server in
            checkRejection(try await error(policy, "https://127.0.0.1:\(server.port)/get"), says: "not for 127.0.0.1")
        }
        try await serve(authority.issue(CertificateOptions(hosts: ["localhost"], commonName: "127.0.0.1"))) { server in
            checkRejection(try await error(policy, "https://127.0.0.1:\(server.port)/get"), says: "not for 127.0.0.1")
        }
    }

    @Test("A certificate for an address does not cover a name that resolves to that address")
    func socketAddress() async throws {
        let authority = try CertificateAuthority()
        try await serve(authority.issue(CertificateOptions(hosts: ["127.0.0.1", "::1"], commonName: "localhost"))) {
            server in
            checkRejection(
                try await error(.authority(pem: authority.pem), server.url("/get")), says: "not for localhost")
        }
    }

    @Test("A server without TLS is distinguished from one with an invalid certificate")
    func plain() async throws {
        try await TestServer.withServer { server in
            let error = try await error(.insecure, "https://127.0.0.1:\(server.port)/get")
            expectEqual(error.kind, .tlsFailed)
            expectEqual(error.phase, .tls)
            #expect(error.description.contains("does not speak TLS"))
            #expect(!error.requestSent)
            expectEqual(server.requestCount, 0)
        }
    }

    @Test(
        "A server that closes or resets during the handshake is an error of TLS",
        arguments: [ScriptedServer.Step.close, .reset])
    func closing(step: ScriptedServer.Step) async throws {
        try await ScriptedServer.withServer(connections: [[.receive(atLeast: 1), step]]) { server in
            let error = try await error(.insecure, "https://127.0.0.1:\(server.port)/")
            expectEqual(error.kind, .tlsFailed)
            expectEqual(error.phase, .tls)
        }
    }

    @Test("A server without TLS 1.2 fails with tlsFailed")
    func oldVersion() async throws {
        var options = TestServer.Options(tls: try CertificateAuthority().issue())
        options.tlsSettings.minimumVersion = .tls10
        options.tlsSettings.maximumVersion = .tls11
        try await TestServer.withServer(options) { server in
            let error = try await error(.insecure, server.url("/get"))
            expectEqual(error.kind, .tlsFailed)
            expectEqual(error.phase, .tls)
        }
    }

    @Test("A handshake that does not end times out")
    func silent() async throws {
        try await ScriptedServer.withServer(connections: [[.hang]]) { server in
            let api = try session(.insecure).with { $0.timeouts.tls = .milliseconds(100) }
            let error = await #expect(throws: SternaError.self) {
                try await api.get("https://127.0.0.1:\(server.port)/")
            }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .tls)
        }
    }

    @Test("The target of a redirect is verified, too")
    func redirect() async throws {
        let authority = try CertificateAuthority()
        let stranger = try CertificateAuthority(commonName: "Stranger")
        let good = try await TestServer.start(.init(tls: try authority.issue()))
        let bad = try await TestServer.start(.init(tls: try stranger.issue()))
        let start = try await TestServer.start()
        let api = try session(.authority(pem: authority.pem))
        for server in [good, start] {
            let error = await #expect(throws: SternaError.self) {
                try await api.get(server.url("/redirect-to"), query: ["url": bad.url("/get")])
            }
            checkRejection(try #require(error), says: "Stranger")
            expectEqual(error?.url, bad.url("/get"))
        }
        expectEqual(bad.requestCount, 0)
        try await expectEqual(api.get(start.url("/redirect-to"), query: ["url": good.url("/get")]).status, 200)
        for server in [good, bad, start] { try await server.stop() }
    }

    @Test("With roots that cannot be read every server is rejected, and the error names the file")
    func missingRoots() async throws {
        let path = "\(FileManager.default.temporaryDirectory.path)/sterna-no-such-file.pem"
        try await serve(CertificateAuthority().issue()) { server in
            checkRejection(try await error(.authority(file: path), server.url("/get")), says: path)
        }
    }
}
