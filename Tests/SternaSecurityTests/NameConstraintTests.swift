import Crypto
import SternaPlatform
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Name constraints")
struct NameConstraintTests {
    private static func authority(
        _ constraints: NameConstraints? = nil, names: [GeneralName] = [], pathLength: Int? = nil
    ) throws -> [Certificate.Extension] {
        try Forge.authorityExtensions(pathLength: pathLength)
            + (constraints.map { [try .init($0, critical: true)] } ?? [])
            + (names.isEmpty ? [] : [try .init(SubjectAlternativeNames(names), critical: false)])
    }

    private static func check(
        _ chain: [Forge], root: Forge, host: String = Forge.host
    ) async throws -> TrustFailure.Check? {
        let policy = SecurityPolicy.authority(pem: try root.pem)
        return await policy.evaluate(chain: try chain.map { try $0.der }, host: host, time: Forge.now).verdict.failure?
            .check
    }

    // MARK: Self-issued certificates

    @Test("An authority's own new key is not constrained (RFC 5280, 6.1.3 (b))", arguments: [true, false])
    func selfIssued(permitted: Bool) async throws {
        let constraints =
            permitted
            ? NameConstraints(permittedDNSDomains: ["example.test"])
            : NameConstraints(excludedDNSDomains: ["other.test"])
        let root = try Forge.root("CA", Self.authority(constraints))
        let renewed = try root.issue("CA", Self.authority(names: [.dnsName("other.test")]))
        try await expectNil(Self.check([renewed.issueLeaf(), renewed], root: root))
        // The certificates that it issues are constrained as before.
        let outside = try renewed.issueLeaf([.dnsName(Forge.host), .dnsName("other.test")])
        try await expectEqual(Self.check([outside, renewed], root: root), .nameConstraints)
        // Another authority of that name is constrained.
        let lower = try root.issue("Lower", Self.authority(names: [.dnsName("other.test")]))
        try await expectEqual(Self.check([lower.issueLeaf(), lower], root: root), .nameConstraints)
    }

    @Test("A self-issued authority's own constraints apply to the certificates below it")
    func constraintsOfSelfIssued() async throws {
        let root = try Forge.root("CA")
        let renewed = try root.issue("CA", Self.authority(NameConstraints(permittedDNSDomains: ["other.test"])))
        try await expectEqual(Self.check([renewed.issueLeaf(), renewed], root: root), .nameConstraints)
    }

    @Test("The last certificate is constrained, self-issued or not")
    func selfIssuedLeaf() async throws {
        let root = try Forge.root(Forge.host, Self.authority(NameConstraints(permittedDNSDomains: ["other.test"])))
        try await expectEqual(Self.check([root.issueLeaf()], root: root), .nameConstraints)
    }

    // MARK: Lists

    static let lists: [([UInt8], fits: Bool)] = [
        ([0x30, 0x00], false), ([0x30, 0x04, 0xA0, 0x00, 0xA1, 0x00], false), ([0x30, 0x02, 0xA0, 0x00], false),
        ([0x30, 0x02, 0xA1, 0x00], false),
        // One name, o.test, excluded; then with an empty list of permitted ones before it.
        ([0x30, 0x0C, 0xA1, 0x0A, 0x30, 0x08, 0x82, 0x06] + Array("o.test".utf8), true),
        ([0x30, 0x0E, 0xA0, 0x00, 0xA1, 0x0A, 0x30, 0x08, 0x82, 0x06] + Array("o.test".utf8), false),
    ]

    @Test("Empty lists of constraints are refused (RFC 5280, 4.2.1.10: at least one)", arguments: lists, [true, false])
    func empty(row: ([UInt8], fits: Bool), critical: Bool) async throws {
        let made = Certificate.Extension(oid: .X509ExtensionID.nameConstraints, critical: critical, value: row.0[...])
        let root = try Forge.root()
        let middle = try root.issue("Middle", Forge.authorityExtensions() + [made])
        let expected: TrustFailure.Check? = row.fits ? nil : .nameConstraints
        try await expectEqual(Self.check([middle.issueLeaf(), middle], root: root), expected)
        let constrained = try Forge.root("Constrained", Forge.authorityExtensions() + [made])
        try await expectEqual(Self.check([constrained.issueLeaf()], root: constrained), expected)
    }

    @Test("A permitted DNS name with a leading dot permits nothing, in an authority and in a root")
    func leadingDot() async throws {
        let constraints = NameConstraints(permittedDNSDomains: [".example.test"])
        let root = try Forge.root()
        let middle = try root.issue("Middle", Self.authority(constraints))
        try await expectEqual(Self.check([middle.issueLeaf(), middle], root: root), .nameConstraints)
        let constrained = try Forge.root("Constrained", Self.authority(constraints))
        try await expectEqual(Self.check([constrained.issueLeaf()], root: constrained), .nameConstraints)
    }

    // MARK: Forms of names

    /// Constraints of forms that are not compared refuse a chain in which such a name stands, and no other (4.2.1.10).
    @Test("Constraints of forms that are not compared refuse names of these forms", arguments: [true, false])
    func otherForms(permitted: Bool) async throws {
        let directory = try DistinguishedName { OrganizationName("Example") }
        let forms: [(GeneralName, GeneralName)] = [
            (.rfc822Name("example.test"), .rfc822Name("a@example.test")),
            (.registeredID([1, 2, 3]), .registeredID([1, 2, 3, 4])),
            (.directoryName(directory), .directoryName(directory)),
        ]
        for (constraint, name) in forms {
            let constraints =
                permitted
                ? NameConstraints(permittedSubtrees: [constraint]) : NameConstraints(excludedSubtrees: [constraint])
            let root = try Forge.root("Root", Self.authority(constraints))
            // A subject is a directory name, so these certificates have none.
            let plain = try root.issue("", Forge.leafExtensions([.dnsName(Forge.host)]))
            try await expectNil(Self.check([plain], root: root))
            let named = try root.issue("", Forge.leafExtensions([.dnsName(Forge.host), name]))
            try await expectEqual(Self.check([named], root: root), .nameConstraints)
        }
        let mail = NameConstraints(permittedEmailAddresses: ["example.test"])
        let root = try Forge.root("Root", Self.authority(mail))
        try await expectNil(Self.check([root.issueLeaf()], root: root))
    }

    static let uris: [(String, String, fits: Bool)] = [
        ("host.test", "https://host.test/a", true), ("host.test", "spiffe://a@HOST.test:8/b", true),
        ("host.test", "https://www.host.test/", false), (".host.test", "https://www.host.test", true),
        (".host.test", "https://host.test", false), ("host.test", "https://192.0.2.7/", false),
        ("host.test", "https://[2001:db8::1]/", false), ("host.test", "urn:host.test", false),
        ("host.test", "https://other.test#://host.test/", false),
    ]

    @Test("A constraint of URIs matches the host, or with a leading dot its subdomains (4.2.1.10)", arguments: uris)
    func uri(constraint: String, uri: String, fits: Bool) async throws {
        let root = try Forge.root("Root", Self.authority(NameConstraints(permittedURIDomains: [constraint])))
        let leaf = try root.issueLeaf([.dnsName(Forge.host), .uniformResourceIdentifier(uri)])
        try await expectEqual(Self.check([leaf], root: root), (fits ? nil : .nameConstraints))
    }

    @Test("A malformed name is outside of every constraint of its form", arguments: [true, false])
    func malformedNames(permitted: Bool) async throws {
        let names: [GeneralName] = [.dnsName(".example.test"), .dnsName("a..example.test"), .dnsName("example.test.")]
        let constraints =
            permitted
            ? NameConstraints(permittedDNSDomains: ["example.test"])
            : NameConstraints(excludedDNSDomains: ["other.test"])
        let root = try Forge.root("Root", Self.authority(constraints))
        for name in names {
            let leaf = try root.issueLeaf([.dnsName(Forge.host), name])
            try await expectEqual(Self.check([leaf], root: root), .nameConstraints, "\(name)")
        }
        let address = GeneralName.ipAddress(.init(contentBytes: [10, 0, 0, 0, 255, 0, 0, 0]))
        let range = ASN1OctetString(contentBytes: [10, 0, 0, 0, 255, 0, 0, 0])
        let ranges =
            permitted ? NameConstraints(permittedIPRanges: [range]) : NameConstraints(excludedIPRanges: [range])
        let other = try Forge.root("Root", Self.authority(ranges))
        try await expectEqual(
            Self.check([other.issueLeaf([.dnsName(Forge.host), address])], root: other), .nameConstraints)
    }

    // MARK: Against the library

    private static let names: [GeneralName] = [
        .dnsName("example.test"), .dnsName("www.example.test"), .dnsName("a.www.example.test"), .dnsName("other.test"),
        .dnsName("xexample.test"), .dnsName("*.example.test"), .ipAddress(.init(contentBytes: [10, 1, 2, 3])),
        .ipAddress(.init(contentBytes: [192, 0, 2, 1])),
        .ipAddress(.init(contentBytes: [0x20, 1] + [UInt8](repeating: 0, count: 14))),
    ]

    private static let subtrees: [GeneralName] = [
        .dnsName("example.test"), .dnsName("www.example.test"), .dnsName("OTHER.test"), .dnsName("test"),
        .ipAddress(.init(contentBytes: [10, 0, 0, 0, 255, 0, 0, 0])),
        .ipAddress(
            .init(contentBytes: [0x20] + [UInt8](repeating: 0, count: 15) + [0xFF] + [UInt8](repeating: 0, count: 15))),
    ]

    private static func pick(_ from: [GeneralName], _ counts: Range<Int>, _ random: inout SeededRandom) -> [GeneralName]
    {
        (0..<Int.random(in: counts, using: &random)).compactMap { _ in from.randomElement(using: &random) }
    }

    private static func constraints(_ random: inout SeededRandom) -> NameConstraints? {
        let made = NameConstraints(
            permittedSubtrees: pick(subtrees, 0..<3, &random), excludedSubtrees: pick(subtrees, 0..<2, &random))
        return made.permittedSubtrees.isEmpty && made.excludedSubtrees.isEmpty ? nil : made
    }

    @Test("Without self-issued authorities, the X.509 library's own policy says the same", arguments: 1...4)
    func library(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let key = P256.Signing.PrivateKey()
        let now = Date(timeIntervalSince1970: Forge.now)
        var accepted = 0
        for round in 0..<25 {
            func length() -> Int? { [nil, nil, 0, 1].randomElement(using: &random) ?? nil }
            let root = try Forge.root("Root", key: key, Self.authority(Self.constraints(&random), pathLength: length()))
            let upper = try root.issue(
                "Upper", key: key, Self.authority(Self.constraints(&random), pathLength: length()))
            let lower = try upper.issue(
                "Lower", key: key, Self.authority(names: Self.pick(Self.names, 0..<2, &random)))
            let issuer = Bool.random(using: &random) ? lower : upper
            let leaf = try issuer.issue("Leaf", key: key, Forge.leafExtensions(Self.pick(Self.names, 1..<3, &random)))
            var verifier = Verifier(rootCertificates: CertificateStore([root.certificate])) {
                RFC5280Policy(fixedExpiryValidationTime: now)
                Unchecked()
            }
            let result = await verifier.validate(
                leaf: leaf.certificate, intermediates: CertificateStore([upper.certificate, lower.certificate]))
            let isAccepted = if case .validCertificate = result { true } else { false }
            accepted += isAccepted ? 1 : 0
            var policy = SecurityPolicy.authority(pem: try root.pem)
            policy.validatesDomainName = false
            let chain = [try leaf.der, try upper.der, try lower.der]
            let verdict = await policy.evaluate(chain: chain, host: Forge.host, time: Forge.now).verdict
            expectEqual(verdict.isAccepted, isAccepted, "round \(round): \(verdict)")
        }
        #expect((1..<25).contains(accepted))
    }

    /// Takes note of critical extensions that the library's policy does not look at.
    private struct Unchecked: VerifierPolicy {
        let verifyingCriticalExtensions = ChainRules.knownCriticalExtensions

        func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
    }
}
