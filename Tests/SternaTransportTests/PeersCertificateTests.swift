import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Hostile servers: certificates", .timeLimit(.minutes(5)))
struct PeersCertificateTests {
    /// A request that must be refused by the certificate: at once, after one connection, which gets no byte of it.
    private func refused(_ bundle: CertificateBundle, root: String, mentions: String? = nil) async throws {
        try await ScriptedServer.withServer(tls: bundle, connections: [[.receiveHead, .answer("secret")]]) { server in
            let api = try Wire.session(server.url) { $0.trust.policy = .authority(pem: root) }
            let error = await Wire.failure(.certificateRejected, .tls) { _ = try await api.get("row") }
            if let mentions {
                expectEqual(error?.description.contains(mentions), true, "\(error.map { "\($0)" } ?? "")")
            }
            expectEqual(error?.requestSent, false)
            #expect(try await server.waitForClose(connection: 0, within: 60))
            expectEqual(server.acceptedConnections, 1)
            #expect(server.received(connection: 0).isEmpty)
        }
    }

    private func bundle(_ chain: String, key: String) -> CertificateBundle {
        CertificateBundle(certificateChainPEM: chain, privateKeyPEM: key, leafDER: [], publicKeySHA256: [])
    }

    @Test("certificate with a common name and no SAN")
    func commonName() async throws {
        let authority = try CertificateAuthority()
        let options = CertificateOptions(hosts: [], commonName: "localhost", omitsSubjectAlternativeName: true)
        try await refused(try authority.issue(options), root: authority.pem)
    }

    @Test("SHA-1 leaf or intermediate, RSA-1024")
    func weak() async throws {
        let key = OldCertificates.leafKey
        try await refused(bundle(OldCertificates.sha1Leaf, key: key), root: OldCertificates.root, mentions: "SHA-1")
        try await refused(
            bundle(OldCertificates.belowIntermediate + OldCertificates.sha1Intermediate, key: key),
            root: OldCertificates.root, mentions: "SHA-1")
        try await refused(
            bundle(OldCertificates.smallLeaf, key: OldCertificates.smallKey), root: OldCertificates.root)
    }

    @Test("The same certificates in good form are accepted")
    func strong() async throws {
        for chain in [OldCertificates.good, OldCertificates.belowIntermediate + OldCertificates.goodIntermediate] {
            let script: [ScriptedServer.Step] = [.receiveHead, .answer("secret")]
            try await ScriptedServer.withServer(
                tls: bundle(chain, key: OldCertificates.leafKey), connections: [script]
            ) { server in
                let api = try Wire.session(server.url) { $0.trust.policy = .authority(pem: OldCertificates.root) }
                try await expectEqual(api.get("row").text(), "secret")
            }
        }
    }

    @Test("wrong certificate: how soon is it an error", arguments: ["other.test", "*.localhost", "127.0.0.1"])
    func wrongHost(host: String) async throws {
        let authority = try CertificateAuthority()
        try await refused(try authority.issue(hosts: [host]), root: authority.pem, mentions: "localhost")
    }

    @Test("wrong certificate: of another authority, of its own, out of date")
    func wrongIssuer() async throws {
        let authority = try CertificateAuthority()
        try await refused(try CertificateAuthority().issue(hosts: ["localhost"]), root: authority.pem)
        try await refused(
            try CertificateBundle.selfSigned(CertificateOptions(hosts: ["localhost"])), root: authority.pem)
        let past = CertificateOptions(
            hosts: ["localhost"], notBefore: .init(timeIntervalSinceNow: -200_000),
            notAfter: .init(timeIntervalSinceNow: -100_000))
        try await refused(try authority.issue(past), root: authority.pem, mentions: "expired")
        let future = CertificateOptions(hosts: ["localhost"], notBefore: .init(timeIntervalSinceNow: 100_000))
        try await refused(try authority.issue(future), root: authority.pem)
    }

    @Test("An address is trusted only by an address, not by the socket's or a name")
    func addresses() async throws {
        let authority = try CertificateAuthority()
        for (hosts, isGood) in [(["127.0.0.1"], true), (["localhost"], false), (["127.0.0.2"], false)] {
            let script: [ScriptedServer.Step] = [.receiveHead, .answer("in")]
            try await ScriptedServer.withServer(tls: try authority.issue(hosts: hosts), connections: [script]) {
                server in
                let api = try Wire.session("https://127.0.0.1:\(server.port)", authority: authority)
                if isGood {
                    try await expectEqual(api.get("row").text(), "in")
                } else {
                    await Wire.failure(.certificateRejected, .tls) { _ = try await api.get("row") }
                }
            }
        }
    }

    @Test("A server without TLS, with too old TLS, or that closes, fails the handshake")
    func noTLS() async throws {
        let authority = try CertificateAuthority()
        for script: [ScriptedServer.Step] in [
            [.send("HTTP/1.1 400 Bad Request\r\n\r\n")], [.close], [.receive(atLeast: 1), .close],
            [.receive(atLeast: 1), .reset],
            [.sendBytes([0x15, 3, 3, 0, 2, 2, 40])], [.sendBytes([0x16, 3, 3, 0xFF, 0xFF, 0, 0])],
        ] {
            try await ScriptedServer.withServer(connections: [script]) { server in
                let api = try Wire.session("https://localhost:\(server.port)", authority: authority)
                let error = await Wire.failure(.tlsFailed, .tls) { _ = try await api.get("row") }
                expectEqual(error?.requestSent, false)
                #expect(try await server.waitForClose(connection: 0, within: 60))
                expectEqual(server.acceptedConnections, 1)
            }
        }
        var settings = ServerTLSSettings()
        settings.minimumVersion = .tls10
        settings.maximumVersion = .tls11
        let server = try await ScriptedServer.start(
            tls: try authority.issue(hosts: ["localhost"]), tlsSettings: settings,
            connections: [[.receiveHead, .answer("old")]])
        let api = try Wire.session(server.url, authority: authority)
        await Wire.failure(.tlsFailed, .tls) { _ = try await api.get("row") }
        try await server.stop()
    }
}
