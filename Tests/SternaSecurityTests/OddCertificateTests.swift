import SwiftASN1
import Testing
import X509

@testable import SternaSecurity
@testable import SternaTestSupport

/// Certificates that no usual tool makes, and the check that refuses each; without sockets.
@Suite("Odd certificates, and the check that refuses each")
struct OddCertificateTests {
    private func check(
        _ chain: [Forge], root: Forge, host: String = Forge.host
    ) async throws -> TrustFailure.Check? {
        try await check(try chain.map { try $0.der }, root: root, host: host)
    }

    /// The check that refuses a chain, whatever is pinned; nil if it is trusted, with the right pin, too.
    private func check(
        _ chain: [[UInt8]], root: Forge, host: String = Forge.host
    ) async throws -> TrustFailure.Check? {
        var policy = SecurityPolicy.authority(pem: try root.pem)
        let verdict = await policy.evaluate(chain: chain, host: host, time: Forge.now).verdict
        let own = chain.first.flatMap { try? Pin.publicKey(of: $0) }
        for pin in [own, try Pin.certificate(root.der)].compactMap({ $0 }) {
            for pins in [[pin], [pin, Pin(keyHash: [UInt8](repeating: 1, count: 32))]] {
                policy.pins = Set(pins)
                let pinned = await policy.evaluate(chain: chain, host: host, time: Forge.now).verdict
                expectEqual(pinned, verdict, "\(pins)")
            }
        }
        policy.pins = [Pin(keyHash: [UInt8](repeating: 1, count: 32))]
        let wrong = await policy.evaluate(chain: chain, host: host, time: Forge.now).verdict
        #expect(wrong.failure?.check == verdict.failure?.check ?? .pin)
        return verdict.failure?.check
    }

    static let names: [(GeneralName, host: String, TrustFailure.Check?)] = [
        (.dnsName("192.0.2.7"), "192.0.2.7", .hostName),
        (.ipAddress(.init(contentBytes: [192, 0, 2, 7])), "192.0.2.7", nil),
        (.ipAddress(.init(contentBytes: [192, 0, 2, 7])), "::ffff:192.0.2.7", .hostName),
        (.ipAddress(.init(contentBytes: [192, 0, 2, 7, 255, 255, 255, 255])), "192.0.2.7", .hostName),
        (.ipAddress(.init(contentBytes: [192, 0, 2])), "192.0.2.7", .hostName),
        (
            .ipAddress(.init(contentBytes: [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7])),
            "[2001:DB8:0::7]", nil
        ),
        (.dnsName("2001:db8::7"), "2001:db8::7", .hostName),
        (.dnsName("-www.example.test"), "-www.example.test", .hostName),
        (.dnsName("www-.example.test"), "www-.example.test", .hostName),
        (.dnsName("www.example.test\0.evil.test"), "www.example.test", .hostName),
        (.dnsName("www.example.test "), "www.example.test", .hostName),
        (.dnsName("xn--*.example.test"), "xn--bcher-kva.example.test", .hostName),
        (.dnsName("*.example.test"), "xn--bcher-kva.example.test", nil),
        (.dnsName("a_b.example.test"), "a_b.example.test", nil),
        (.dnsName("www.example.test"), "www.example.test.", nil),
        (.uniformResourceIdentifier("https://www.example.test"), "www.example.test", .hostName),
        (.rfc822Name("www.example.test"), "www.example.test", .hostName),
    ]

    @Test("An unusual name covers its host or is refused", arguments: names)
    func name(name: GeneralName, host: String, expected: TrustFailure.Check?) async throws {
        let root = try Forge.root()
        try await expectEqual(check([root.issueLeaf([name])], root: root, host: host), expected)
    }

    @Test("A name with a leading hyphen does not escape an excluded subtree")
    func hyphen() async throws {
        let root = try Forge.root()
        let middle = try root.issue(
            "Middle",
            Forge.authorityExtensions() + [.init(NameConstraints(excludedDNSDomains: ["example.test"]), critical: true)]
        )
        let host = "-www.example.test"
        try await expectEqual(check([middle.issueLeaf([.dnsName(host)]), middle], root: root, host: host), .hostName)
    }

    static let constraints: [(GeneralName, TrustFailure.Check?)] = [
        (.ipAddress(.init(contentBytes: [10, 0, 0, 0, 255, 0, 255, 0])), .nameConstraints),
        (.ipAddress(.init(contentBytes: [10, 0, 0, 0])), .nameConstraints),
        (.ipAddress(.init(contentBytes: [10, 0, 0, 0, 255, 0, 0, 0])), nil),
        (.dnsName("*.other.test"), .nameConstraints), (.dnsName("other..test"), .nameConstraints),
        (.dnsName("other.test"), nil), (.dnsName(""), .nameConstraints),
        // A leading dot is defined only for URIs (RFC 5280, 4.2.1.10).
        (.dnsName(".other.test"), .nameConstraints), (.dnsName("."), .nameConstraints),
        (.dnsName(".www.example.test"), .nameConstraints), (.dnsName("other.test."), .nameConstraints),
    ]

    @Test(
        "A malformed excluded subtree refuses the chain, a valid one does not", arguments: constraints, [false, true])
    func excluded(row: (GeneralName, TrustFailure.Check?), critical: Bool) async throws {
        let root = try Forge.root()
        let constraints = NameConstraints(excludedSubtrees: [row.0])
        let middle = try root.issue("Middle", Forge.authorityExtensions() + [.init(constraints, critical: critical)])
        try await expectEqual(check([middle.issueLeaf(), middle], root: root), row.1)
    }

    @Test("Malformed constraints, and those on directory names, are refused")
    func unreadable() async throws {
        let root = try Forge.root()
        let broken = Certificate.Extension(
            oid: .X509ExtensionID.nameConstraints, critical: true, value: [0x30, 0x03, 0x02, 0x01, 0x01])
        let directory = NameConstraints(excludedSubtrees: [.directoryName(try DistinguishedName { CommonName("X") })])
        for made in [broken, try .init(directory, critical: true)] {
            let middle = try root.issue("Middle", Forge.authorityExtensions() + [made])
            try await expectEqual(check([middle.issueLeaf(), middle], root: root), .nameConstraints)
        }
    }

    static let extensions: [(ASN1ObjectIdentifier, critical: Bool, TrustFailure.Check?)] = [
        ([1, 3, 6, 1, 4, 1, 99_999, 1], true, .criticalExtension), ([1, 3, 6, 1, 4, 1, 99_999, 1], false, nil),
        // Policy constraints and the like, which nothing here obeys.
        ([2, 5, 29, 36], true, .criticalExtension), ([2, 5, 29, 54], true, .criticalExtension),
        ([2, 5, 29, 33], true, .criticalExtension), ([2, 5, 29, 36], false, nil),
    ]

    @Test("Unknown extensions are judged by the same rule in leaf, authority and root", arguments: extensions, 0..<3)
    func unknown(row: (ASN1ObjectIdentifier, critical: Bool, TrustFailure.Check?), place: Int) async throws {
        let made = Certificate.Extension(oid: row.0, critical: row.critical, value: [0x05, 0x00])
        let add = { (number: Int) in number == place ? [made] : [] }
        let base = try Forge.root("Base")
        // Issued by another, as the root of a store need not be under its own signature.
        let root = try base.issue("Root", Forge.authorityExtensions() + add(2))
        let middle = try root.issue("Middle", Forge.authorityExtensions() + add(1))
        let leaf = try middle.issue(Forge.host, Forge.leafExtensions([.dnsName(Forge.host)]) + add(0))
        try await expectEqual(check([leaf, middle], root: root), row.2)
    }

    @Test("Policies are no reason to refuse, even critical ones, nor is a critical extended key usage")
    func known() async throws {
        let root = try Forge.root()
        // One policy: anyPolicy.
        let policies = Certificate.Extension(
            oid: [2, 5, 29, 32], critical: true, value: [0x30, 0x08, 0x30, 0x06, 0x06, 0x04, 0x55, 0x1D, 0x20, 0x00])
        let middle = try root.issue("Middle", Forge.authorityExtensions() + [policies])
        let leaf = try middle.issue(
            Forge.host,
            [
                .init(SubjectAlternativeNames([.dnsName(Forge.host)]), critical: true),
                .init(ExtendedKeyUsage([.any]), critical: true), policies,
            ])
        try await expectNil(check([leaf, middle], root: root))
    }

    @Test("An intermediate of version 1 is no authority")
    func versionOne() async throws {
        let root = try Forge.root()
        let old = try root.issue("Old", [], version: .v1)
        try await expectEqual(check([old.issueLeaf(), old], root: root), .basicConstraints)
    }

    @Test("In reverse order the first certificate is judged as the leaf")
    func leafLast() async throws {
        let root = try Forge.root()
        let authority = try Forge.authorityExtensions().filter { $0.oid != .X509ExtensionID.keyUsage }
        let middle = try root.issue("Middle", authority)
        #expect(try await check([root, middle, middle.issueLeaf()], root: root) != nil)
        try await expectEqual(check([middle, middle.issueLeaf()], root: root), .basicConstraints)
    }

    @Test("A signature by another key, and a changed one, are refused")
    func signatures() async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority()
        let impostor = try Forge.root().issueAuthority()
        try await expectEqual(check([impostor.issueLeaf(), middle], root: root), .issuer)
        for (index, place) in [(0, "leaf"), (1, "authority")] {
            var chain = [try middle.issueLeaf().der, try middle.der]
            // The last octets are of the second number of the ECDSA signature.
            chain[index][chain[index].count - 3] ^= 1
            try await expectEqual(check(chain, root: root), .issuer, "\(place)")
        }
    }

    @Test("Two different algorithms for one signature are refused (RFC 5280, 4.1.1.2)")
    func twoAlgorithms() async throws {
        let root = try Forge.root()
        var leaf = try root.issueLeaf().der
        // ecdsa-with-SHA256; the second one is outside of the signed part.
        let oid: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
        let places = leaf.indices.filter { leaf[$0...].starts(with: oid) }
        expectEqual(places.count, 2)
        leaf[places[1] + 9] = 0x03
        try await expectEqual(check([leaf], root: root), .readable)
    }
}
