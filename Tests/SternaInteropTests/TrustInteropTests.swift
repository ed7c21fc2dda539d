import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Servers of others over TLS: OpenSSL's, and nginx with client certificates.
@Suite("Interop: trust", .timeLimit(.minutes(5)))
struct TrustInteropTests {
    private func session(_ change: (inout SecurityPolicy) -> Void) throws -> Session {
        var policy = SecurityPolicy()
        change(&policy)
        return try Session { settings in
            settings.network.engine = Engine()
            settings.trust.policy = policy
            settings.responseSerializer = .data
        }
    }

    private static func identity(_ authority: CertificateAuthority, _ name: String) throws -> ClientIdentity {
        let bundle = try authority.issue(
            CertificateOptions(hosts: [], commonName: name, extendedKeyUsage: [.clientAuthentication]))
        return try ClientIdentity(
            certificates: Array(bundle.certificateChainPEM.utf8), privateKey: Array(bundle.privateKeyPEM.utf8))
    }

    @Test(
        "OpenSSL's server: certificates by its own tool, pins by its own digest",
        .enabled("openssl is not there") { OpenSSL.isThere() },
        arguments: ["rsa:2048", "ec"], ["-tls1_2", "-tls1_3"])
    func openssl(kind: String, version: String) async throws {
        try await OpenSSL.withFolder { folder in
            let (root, key, leaf) = ("\(folder)/root.pem", "\(folder)/leaf.key", "\(folder)/leaf.pem")
            let curve = kind == "ec" ? ["-pkeyopt", "ec_paramgen_curve:P-256"] : []
            func make(_ arguments: [String]) async throws {
                _ = try await ChildProcess.run(
                    [OpenSSL.program ?? "", "req", "-newkey", kind] + curve + ["-nodes", "-days", "3"] + arguments,
                    input: [])
            }
            try await make(["-x509", "-subj", "/CN=Root", "-keyout", "\(folder)/root.key", "-out", root])
            try await make([
                "-x509", "-CA", root, "-CAkey", "\(folder)/root.key", "-subj", "/CN=leaf", "-addext",
                "subjectAltName=DNS:localhost",
                "-addext", "basicConstraints=CA:FALSE", "-keyout", key, "-out", leaf,
            ])
            let server = try await OpenSSL.Server(["-cert", leaf, "-key", key, version])
            let url = "https://localhost:\(server.port)/"
            try await OpenSSL.run("x509", "-in", leaf, "-pubkey", "-noout", "-out", "\(folder)/leaf.pub")
            try await OpenSSL.run(
                "pkey", "-pubin", "-in", "\(folder)/leaf.pub", "-outform", "DER", "-out", "\(folder)/leaf.spki")
            let digest = try await OpenSSL.run("dgst", "-sha256", "-binary", "\(folder)/leaf.spki")
            let pin = try Pin("sha256/\(Data(digest).base64EncodedString())")
            try expectEqual(Pin.publicKeys(at: "\(folder)/leaf.pub"), [pin])
            let reply = try await session {
                $0.roots = .file(root)
                $0.pins = [pin]
            }.get(url)
            #expect(try reply.data().count > 100)
            let unknown = await #expect(throws: SternaError.self) { try await session { $0.pins = [pin] }.get(url) }
            expectEqual((unknown?.underlying as? TrustFailure)?.check, .issuer)
            let seen = try await session { $0.roots = .file(root) }.inspectTrust(of: url)
            expectEqual(seen.version, (version == "-tls1_2" ? .tls12 : .tls13))
            expectEqual(seen.evaluation.certificates.first?.pin, "\(pin)")
        }
    }

    @Test(
        "nginx admits a client with a certificate, and names its subject",
        .enabled("nginx is not there") { ChildProcess.mayNotSkip || Nginx.program != nil })
    func nginx() async throws {
        let nginx = try await Nginx()
        let url = "https://localhost:\(nginx.guardedPort)/who"
        let api = try session {
            $0.roots = .file(nginx.authorityFile)
            $0.identity = try? Self.identity(nginx.authority, "Ada")
        }
        try await expectEqual(api.get(url).text(), "CN=Ada")
        for own in [nil, try Self.identity(CertificateAuthority(commonName: "Other"), "Eve")] {
            let stranger = try session {
                $0.roots = .file(nginx.authorityFile)
                $0.identity = own
            }
            let error = await #expect(throws: SternaError.self) { try await stranger.get(url) }
            expectEqual(error?.status, 400)
        }
    }
}
