import Crypto
import SwiftASN1
import Testing
import X509

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("The form of certificates")
struct CertificateFormTests {
    private func check(_ chain: [Forge], root: Forge) async throws -> TrustFailure.Check? {
        try await check(try chain.map { try $0.der }, root: root)
    }

    private func check(_ chain: [[UInt8]], root: Forge) async throws -> TrustFailure.Check? {
        let policy = SecurityPolicy.authority(pem: try root.pem)
        return await policy.evaluate(chain: chain, host: Forge.host, time: Forge.now).verdict.failure?.check
    }

    @Test("A root with an empty name is refused (RFC 5280, 4.1.2.6)")
    func namelessRoot() async throws {
        let root = try Forge.root("")
        #expect(root.certificate.subject.isEmpty)
        try await expectEqual(check([root.issueLeaf()], root: root), .form)
        let middle = try root.issueAuthority()
        try await expectEqual(check([middle.issueLeaf(), middle], root: root), .form)
    }

    @Test("An authority with an empty name is refused")
    func namelessAuthority() async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority("")
        try await expectEqual(check([middle.issueLeaf(), middle], root: root), .form)
    }

    @Test("A server's certificate needs only alternative names")
    func namelessLeaf() async throws {
        let root = try Forge.root()
        let leaf = try root.issue("", Forge.leafExtensions([.dnsName(Forge.host)]))
        try await expectNil(check([leaf], root: root))
    }

    @Test("A certificate of version 2 with extensions is refused (RFC 5280, 4.1.2.1)")
    func versionTwo() async throws {
        let root = try Forge.root()
        let middle = try root.issueAuthority()
        let leaf = try middle.issueLeaf()
        try await expectEqual(check([leaf.der, Self.ofVersionTwo(middle, key: root.key)], root: root), .form)
        try await expectEqual(check([Self.ofVersionTwo(leaf, key: middle.key), middle.der], root: root), .form)
        let own = try Certificate(derEncoded: Self.ofVersionTwo(root, key: root.key))
        let oldRoot = Forge(certificate: own, key: root.key)
        try await expectEqual(check([oldRoot.issueLeaf()], root: oldRoot), .form)
        // The unchanged certificate, signed again, is valid.
        try await expectNil(check([leaf.der, Self.ofVersionTwo(middle, key: root.key, version: 2)], root: root))
    }

    /// The certificate with another number in place of its version's, signed anew.
    private static func ofVersionTwo(_ forge: Forge, key: P256.Signing.PrivateKey, version: UInt8 = 1) throws -> [UInt8]
    {
        var signed = Array(forge.certificate.tbsCertificateBytes)
        // The version, under tag 0, is the first field.
        let place = try #require(signed.firstRange(of: [0xA0, 0x03, 0x02, 0x01, 0x02] as [UInt8]))
        signed[place.upperBound - 1] = version
        let algorithm: [UInt8] = [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
        let signature = Array(try key.signature(for: signed).derRepresentation)
        let content = signed + algorithm + [0x03, UInt8(signature.count + 1), 0] + signature
        return [0x30, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    private static let access: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 1]
    private static let points: ASN1ObjectIdentifier = [2, 5, 29, 31]
    private static let policies: ASN1ObjectIdentifier = [2, 5, 29, 32]
    private static let issuerKey: ASN1ObjectIdentifier = [2, 5, 29, 35]
    private static let ownKey: ASN1ObjectIdentifier = [2, 5, 29, 14]

    /// The OID of OCSP as a method, and a URI of one letter.
    private static let method: [UInt8] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01]
    private static let place: [UInt8] = [0x86, 0x01, 0x78]

    private static func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }

    static let values: [(ASN1ObjectIdentifier, [UInt8], fits: Bool)] = [
        (access, Array("malformed".utf8), false), (access, [], false), (access, [0x30, 0x05, 0x01], false),
        (access, [0x05, 0x00], false), (access, sequence([]), false), (access, sequence(method + place), false),
        (access, sequence(sequence(method + place)), true),
        // The location is a name of any kind, not only a URI, and may be outside of ASCII, as directories' are.
        (access, sequence(sequence(method + [0x82, 0x01, 0x78]) + sequence(method + [0x86, 0x02, 0xC3, 0xA9])), true),
        (access, sequence(sequence(method)), false), (access, sequence(sequence(place + method)), false),
        (access, sequence(sequence(method + [0x0C, 0x01, 0x78])), false),
        (access, sequence(sequence(method + place + place)), false),
        (access, sequence(sequence(method + place)) + [0x00], false),
        (points, Array("malformed".utf8), false), (points, sequence([]), false), (points, sequence(place), false),
        (points, sequence(sequence([0xA0, 0x05, 0xA0, 0x03] + place)), true),
        (policies, Array("malformed".utf8), false), (policies, sequence(sequence([0x06, 0x01, 0x2A])), true),
        (issuerKey, [0x04, 0x01, 0x01], false), (issuerKey, sequence([0x80, 0x01, 0x01]), true),
        (issuerKey, sequence([]), true), (ownKey, sequence([]), false), (ownKey, [0x04, 0x01, 0x01], true),
    ]

    @Test("A malformed extension is refused below the root, even if nothing depends on it", arguments: values)
    func damaged(oid: ASN1ObjectIdentifier, value: [UInt8], fits: Bool) async throws {
        let root = try Forge.root()
        let made = Certificate.Extension(oid: oid, critical: false, value: value[...])
        let leaf = try root.issue(Forge.host, Forge.leafExtensions([.dnsName(Forge.host)]) + [made])
        try await expectEqual(check([leaf], root: root), (fits ? nil : .form))
        let middle = try root.issue("Middle", Forge.authorityExtensions() + [made])
        try await expectEqual(check([middle.issueLeaf(), middle], root: root), (fits ? nil : .form))
        // The program has chosen to trust the root.
        let other = try Forge.root("Other", Forge.authorityExtensions() + [made])
        try await expectNil(check([other.issueLeaf()], root: other))
    }

    @Test("The failure names the malformed extension and its certificate")
    func words() async throws {
        let root = try Forge.root()
        let made = Certificate.Extension(oid: Self.access, critical: false, value: [0x05, 0x00])
        let middle = try root.issue("Middle", Forge.authorityExtensions() + [made])
        let policy = SecurityPolicy.authority(pem: try root.pem)
        let chain = [try middle.issueLeaf().der, try middle.der]
        let failure = await policy.evaluate(chain: chain, host: Forge.host, time: Forge.now).verdict.failure
        expectEqual(failure?.reason, "the certificate of “CN=Middle” has a malformed authority information access")
        expectEqual(failure?.certificate?.subject, "CN=Middle")
    }
}
