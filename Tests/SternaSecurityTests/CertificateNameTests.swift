import SwiftASN1
import Testing
import X509

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("The host and the certificate's names")
struct CertificateNameTests {
    static let loopback = GeneralName.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))

    private func verdict(_ names: [GeneralName], _ host: String, commonName: String = "none") async throws
        -> TrustVerdict
    {
        let root = try Forge.root()
        let leaf = try root.issue(commonName, Forge.leafExtensions(names))
        return await SecurityPolicy.authority(pem: try root.pem).evaluate(
            chain: [try leaf.der], host: host, time: Forge.now
        ).verdict
    }

    @Test(
        "A name or a wildcard of the certificate fits its hosts",
        arguments: [
            ("www.example.test", true), ("WWW.EXAMPLE.TEST.", true), ("a.wild.test", true), ("a.b.wild.test", false),
            ("wild.test", false), ("example.test", false), ("127.0.0.1", true), ("127.0.0.2", false), ("::1", false),
        ])
    func names(host: String, fits: Bool) async throws {
        let verdict = try await verdict([.dnsName("www.example.test"), .dnsName("*.wild.test"), Self.loopback], host)
        expectEqual(verdict.isAccepted, fits)
        if case .rejected(let failure) = verdict {
            #expect(failure.reason.contains("www.example.test"))
            #expect(failure.reason.contains("not for \(host)"))
        }
    }

    @Test("The common name is never compared", arguments: ["www.example.test", "127.0.0.1"])
    func commonName(host: String) async throws {
        guard case .rejected(let failure) = try await verdict([], host, commonName: host) else {
            Issue.record("accepted by its common name")
            return
        }
        #expect(failure.reason.contains("no subject alternative names"))
        try await expectEqual(verdict([.dnsName("other.test")], host, commonName: host).isAccepted, false)
    }

    @Test("An address in a DNS name does not match the address")
    func addressAsName() async throws {
        try await expectEqual(verdict([.dnsName("127.0.0.1")], "127.0.0.1").isAccepted, false)
        try await expectEqual(verdict([.dnsName("::1")], "::1").isAccepted, false)
    }

    @Test("Other kinds of names match no host")
    func otherKinds() async throws {
        let host = "www.example.test"
        let names: [GeneralName] = [.uniformResourceIdentifier("https://\(host)/"), .rfc822Name(host)]
        try await expectEqual(verdict(names, host).isAccepted, false)
    }

    @Test("A name with a NUL in it matches no host")
    func nul() async throws {
        let names: [GeneralName] = [.dnsName("www.example.test\u{0}.evil.test")]
        try await expectEqual(verdict(names, "www.example.test").isAccepted, false)
    }

    @Test("Names in a message are few, short and on one line")
    func message() async throws {
        let names = (0..<1_000).map { GeneralName.dnsName("host\($0)\r\n" + String(repeating: "x", count: 500)) }
        guard case .rejected(let failure) = try await verdict(names, "www.example.test") else {
            Issue.record("accepted")
            return
        }
        #expect(failure.reason.count < 1_000)
        #expect(!failure.reason.contains { $0.isNewline })
    }

    @Test("Malformed alternative names match no host")
    func unreadable() async throws {
        let root = try Forge.root()
        let broken = Certificate.Extension(
            oid: .X509ExtensionID.subjectAlternativeName, critical: false, value: [0x30, 0x05, 1])
        let leaf = try root.issue(Forge.host, Forge.leafExtensions([]) + [broken])
        let policy = SecurityPolicy.authority(pem: try root.pem)
        await expectEqual(
            policy.evaluate(chain: [try leaf.der], host: Forge.host, time: Forge.now).verdict.isAccepted, false)
    }
}
