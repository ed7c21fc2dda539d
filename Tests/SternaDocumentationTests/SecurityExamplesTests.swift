import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The example of docs/Security.md, so that it compiles and does what it says.
@Suite("Examples: trust")
struct SecurityExamplesTests {
    @Test("A private root, an identity, policies of hosts, pins")
    func policies() async throws {
        try await Downloading.withFolder { folder in try await policies(in: folder) }
    }

    private func policies(in folder: String) async throws {
        let bundle = try CertificateAuthority().issue(CertificateOptions(hosts: ["client.example"]))
        let (certificate, key) = ("\(folder)/client.pem", "\(folder)/client.key")
        try bundle.writeChainPEM(toPath: certificate)
        try bundle.writePrivateKeyPEM(toPath: key)
        let mock = MockTransport { _ in throw SternaError(.certificateRejected, phase: .tls, "No.") }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let identity = try ClientIdentity(certificateFile: certificate, keyFile: key)  // PEM, DER or PKCS #12
        let api = try Session(baseURL: "https://api.example.com") { settings in
            settings.trust.policy = .authority(file: "company-ca.pem")  // a private root instead of the system's
            settings.trust.policy.identity = identity  // presented to every server that asks
            settings.trust.hosts = ["*.partner.example": .system]  // replaces the policy, pins and identity too
        }

        var policy = SecurityPolicy.pinned([  // the key in use, and one kept offline
            "sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=",
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        ])
        policy.roots = .system + .folder("/etc/acme/roots")  // added to the system's
        let pinned = api.with { [policy] in $0.trust.policy = policy }

        do {
            try await pinned.get("users/1")
        } catch let error as SternaError where error.kind == .certificateRejected {
            if let failure = error.underlying as? TrustFailure { print(failure.check, failure.presented.map(\.pin)) }
        }

        #expect(mock.requests.count == 1)
    }

    @Test("What was presented is in the error, with its pin")
    func presented() async throws {
        let bundle = try CertificateAuthority().issue(CertificateOptions(hosts: ["localhost"]))
        try await TestServer.withServer(TestServer.Options(tls: bundle)) { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let error = await #expect(throws: SternaError.self) { try await api.get("get") }
            #expect(error?.kind == .certificateRejected)
            let failure = try #require(error?.underlying as? TrustFailure)
            #expect(failure.check == .issuer)
            #expect(failure.presented.first?.pin.description.hasPrefix("sha256/") == true)
        }
    }
}
