import NIOSSL
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Certificates made on the fly", .timeLimit(.minutes(5)))
struct CertificateTests {
    /// Whether a client with those roots completes a request.
    static func accepted(
        _ bundle: CertificateBundle, roots: [String], hostname: String? = "localhost",
        settings: ServerTLSSettings = .init(), identity: CertificateBundle? = nil, maximum: TLSVersion? = nil
    ) async throws -> Bool {
        var options = TestServer.Options(tls: bundle)
        options.tlsSettings = settings
        return try await TestServer.withServer(options) { server in
            #expect(server.url == "https://localhost:\(server.port)")
            let tls = RawClient.TLS(
                roots: roots, hostname: hostname, identity: identity, maximumVersion: maximum)
            do {
                return try await RawClient.with(port: server.port, tls: tls) { client in
                    try await client.request("GET", "/1k").status == 200
                }
            } catch {
                return false
            }
        }
    }

    @Test("a certificate is accepted with its authority, refused with another")
    func trust() async throws {
        let authority = try CertificateAuthority()
        let other = try CertificateAuthority()
        let bundle = try authority.issue()
        #expect(try await Self.accepted(bundle, roots: [authority.pem]))
        try await expectEqual(Self.accepted(bundle, roots: [other.pem]), false)
        #expect(try await Self.accepted(bundle, roots: [authority.pem], maximum: .tlsv12))
    }

    @Test(
        "names and addresses",
        arguments: [
            (["www.example.test"], "www.example.test", true), (["*.example.test"], "a.example.test", true),
            (["*.example.test"], "a.b.example.test", false), (["www.example.test"], "example.test", false),
        ])
    func names(hosts: [String], asked: String, fits: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: hosts)
        try await expectEqual(Self.accepted(bundle, roots: [authority.pem], hostname: asked), fits)
    }

    @Test("an address is matched as an address", arguments: [(["127.0.0.1"], true), (["::1", "10.0.0.1"], false)])
    func addresses(hosts: [String], fits: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: hosts)
        try await expectEqual(Self.accepted(bundle, roots: [authority.pem], hostname: nil), fits)
    }

    @Test("validity", arguments: [(-20.0, -10.0), (10.0, 20.0)])
    func validity(from: Double, until: Double) async throws {
        let authority = try CertificateAuthority(notBefore: Date(timeIntervalSinceNow: -40 * 86_400))
        let bundle = try authority.issue(
            CertificateOptions(
                notBefore: Date(timeIntervalSinceNow: from * 86_400),
                notAfter: Date(timeIntervalSinceNow: until * 86_400)))
        try await expectEqual(Self.accepted(bundle, roots: [authority.pem]), false)
    }

    @Test("a leaf for code signing, self-signed or without a name is refused")
    func unusable() async throws {
        let authority = try CertificateAuthority()
        let codeSigning = try authority.issue(CertificateOptions(extendedKeyUsage: [.codeSigning]))
        try await expectEqual(Self.accepted(codeSigning, roots: [authority.pem]), false)
        let selfSigned = try CertificateBundle.selfSigned()
        try await expectEqual(Self.accepted(selfSigned, roots: [authority.pem]), false)
        let nameless = try authority.issue(CertificateOptions(omitsSubjectAlternativeName: true))
        try await expectEqual(Self.accepted(nameless, roots: [authority.pem], hostname: nil), false)
    }

    @Test("intermediates are sent with the chain")
    func intermediates() async throws {
        let root = try CertificateAuthority()
        let lower = try root.issueIntermediate(pathLength: 1).issueIntermediate(commonName: "Lower")
        let whole = try lower.issue()
        expectEqual(whole.certificateChainPEM.split(separator: "BEGIN CERTIFICATE").count, 4)
        #expect(try await Self.accepted(whole, roots: [root.pem]))
        let bare = try lower.issue(CertificateOptions(includesIntermediates: false))
        try await expectEqual(Self.accepted(bare, roots: [root.pem]), false)
        let tooDeep = try root.issueIntermediate(pathLength: 0).issueIntermediate(commonName: "Lower").issue()
        try await expectEqual(Self.accepted(tooDeep, roots: [root.pem]), false)
    }

    @Test("client certificates", arguments: [0, 1, 2])
    func clients(kind: Int) async throws {
        let authority = try CertificateAuthority()
        let clients = try CertificateAuthority(commonName: "Clients")
        var settings = ServerTLSSettings()
        settings.clientAuthorities = [clients.pem]
        let options = CertificateOptions(extendedKeyUsage: [.clientAuthentication])
        let identity = [nil, try authority.issue(options), try clients.issue(options)][kind]
        let accepted = try await Self.accepted(
            try authority.issue(), roots: [authority.pem], settings: settings, identity: identity)
        expectEqual(accepted, (kind == 2))
    }

    @Test("the server chooses the TLS versions")
    func versions() async throws {
        let authority = try CertificateAuthority()
        var settings = ServerTLSSettings()
        settings.minimumVersion = .tls13
        let bundle = try authority.issue()
        #expect(try await Self.accepted(bundle, roots: [authority.pem], settings: settings))
        try await expectEqual(
            Self.accepted(bundle, roots: [authority.pem], settings: settings, maximum: .tlsv12), false)
    }

    @Test("PEM files and DER agree")
    func files() throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue()
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try authority.writePEM(toPath: path)
        try expectEqual(NIOSSLCertificate.fromPEMFile(path).map { try $0.toDERBytes() }, [authority.der])
        try bundle.writeChainPEM(toPath: path)
        try expectEqual(NIOSSLCertificate.fromPEMFile(path).map { try $0.toDERBytes() }, [bundle.leafDER])
        try bundle.writePrivateKeyPEM(toPath: path)
        #expect(throws: Never.self) { try NIOSSLPrivateKey(file: path, format: .pem) }
        expectEqual(bundle.publicKeySHA256.count, 32)
        #expect(try authority.issue().publicKeySHA256 != bundle.publicKeySHA256)
    }
}
