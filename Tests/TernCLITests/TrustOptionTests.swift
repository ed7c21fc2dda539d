import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("tern: trust", .timeLimit(.minutes(5)))
struct TrustOptionTests {
    private func withServer(
        _ work: (TestServer, _ folder: TemporaryFolder, _ bundle: CertificateBundle) async throws -> Void
    )
        async throws
    {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost", "127.0.0.1", "a.test"])
        let folder = try TemporaryFolder()
        try authority.writePEM(toPath: folder.path("ca.pem"))
        try bundle.writeChainPEM(toPath: folder.path("leaf.pem"))
        try bundle.writePrivateKeyPEM(toPath: folder.path("leaf.key"))
        try await TestServer.withServer(.init(tls: bundle)) { try await work($0, folder, bundle) }
    }

    private func expect(
        _ status: Int32, _ arguments: [String], location: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await TernProcess.run(arguments)
        expectEqual(outcome.status, status, "\(arguments): \(outcome.errors)", sourceLocation: location)
    }

    @Test("cert shows certificates, pins, version and verdict; as JSON too")
    func cert() async throws {
        try await withServer { server, folder, bundle in
            let pin = try Pin.publicKey(of: bundle.leafDER).description
            let good = try await TernProcess.run("cert", "--cacert", folder.path("ca.pem"), server.url("/"))
            expectEqual(good.status, 0)
            for part in ["trusted for localhost", "TLS 1.3", pin, "a.test", "EC P-256", "CN=localhost"] {
                #expect(good.text.contains(part), "\(part)")
            }
            #expect(!good.text.contains("\u{1B}"))
            #expect(good.text.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
            let bad = try await TernProcess.run("cert", "--json", "localhost:\(server.port)")
            expectEqual(bad.status, 60)
            let report = try JSON(parsing: bad.text)
            expectEqual(report["trusted"], false)
            expectEqual(report["check"], "issuer")
            expectEqual(report["tls"], "1.3")
            expectEqual(report["certificates"][0]["pin"].string, pin)
            try await expect(2, ["cert", "http://127.0.0.1:1/"])
            try await expect(7, ["cert", "https://127.0.0.1:1/"])
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("--pin takes hashes, and files of keys and certificates; a wrong one shows the right ones")
    func pin() async throws {
        try await withServer { server, folder, bundle in
            let pin = try Pin.publicKey(of: bundle.leafDER).description
            let trust = ["--cacert", folder.path("ca.pem")]
            let other = "sha256/\(Data(repeating: 1, count: 32).base64EncodedString())"
            for pins in [
                [pin], ["\(other);\(pin)"], [folder.path("leaf.pem")],
                [other, pin.replacing("sha256/", with: "sha256//")],
            ] {
                let arguments = trust + pins.flatMap { ["--pin", $0] } + [server.url("/ip")]
                try await expect(0, arguments)
            }
            let wrong = try await TernProcess.run(trust + ["--pin", other, server.url("/ip")])
            expectEqual(wrong.status, 90)
            #expect(wrong.errors.contains("pin \(pin)"))
            try await expect(90, trust + ["--pin", other, server.url("/get")])
            for (status, arguments) in [
                (2, ["--pin", pin, "http://127.0.0.1:1/"]), (1, ["--pin", "sha256/x", server.url("/")]),
                (26, ["--pin", folder.path("none.pem"), server.url("/")]), (2, ["-k", "--pin", pin, server.url("/")]),
            ] {
                try await expect(Int32(status), arguments)
            }
        }
    }

    @Test("--cert and --key are shown; files that cannot be used are status 58")
    func identity() async throws {
        let authority = try CertificateAuthority()
        let own = try authority.issue(
            CertificateOptions(hosts: [], commonName: "Ada", extendedKeyUsage: [.clientAuthentication]))
        let folder = try TemporaryFolder()
        try authority.writePEM(toPath: folder.path("ca.pem"))
        try own.writeChainPEM(toPath: folder.path("own.pem"))
        try own.writePrivateKeyPEM(toPath: folder.path("own.key"))
        var options = TestServer.Options(tls: try authority.issue())
        options.tlsSettings.clientAuthorities = [authority.pem]
        try await TestServer.withServer(options) { server in
            let trust = ["--cacert", folder.path("ca.pem")]
            let files = ["--cert", folder.path("own.pem"), "--key", folder.path("own.key")]
            try await expect(0, trust + files + [server.url("/ip")])
            let none = try await TernProcess.run(trust + [server.url("/ip")])
            expectEqual(none.status, 35)
            #expect(none.errors.contains("--cert"))
            let noKey = try await TernProcess.run(trust + ["--cert", folder.path("own.pem"), server.url("/ip")])
            expectEqual(noKey.status, 58)
            #expect(noKey.errors.contains("--key FILE"), "\(noKey.errors)")
            try await expect(2, trust + ["--key", folder.path("own.key"), server.url("/ip")])
        }
    }

    @Test("--resolve names the address, and --tls-min and --tls-max bound the version")
    func resolve() async throws {
        try await withServer { server, folder, _ in
            let trust = ["--cacert", folder.path("ca.pem")]
            let url = "https://a.test:\(server.port)/ip"
            try await expect(0, trust + ["--resolve", "A.test:\(server.port):127.0.0.1", url])
            try await expect(2, trust + ["--resolve", "a.test:127.0.0.1", url])
            try await expect(0, trust + ["--tls-min", "1.3", server.url("/ip")])
            try await expect(35, trust + ["--tls-max", "1.1", server.url("/ip")])
            try await expect(2, trust + ["--tls-min", "1.4", server.url("/ip")])
            try await expectEqual(
                TernProcess.run(trust + ["--tls-min", "1.3", "--tls-max", "1.2", server.url("/ip")]).status, 2)
        }
    }
}
