import SternaTesting
import SwiftASN1
import Testing
import X509

@testable import SternaTestSupport

@Suite("Contents of certificates made on the fly")
struct AuthorityOptionsTests {
    private func certificate(_ der: [UInt8]) throws -> Certificate { try Certificate(derEncoded: der) }

    @Test("An authority's certificate has the content of its options")
    func contents() throws {
        var options = AuthorityOptions(commonName: "Constrained")
        options.hosts = ["ca.example.test"]
        options.pathLength = 2
        options.keyUsage = [.certificateSigning, .keyAgreement]
        options.extendedKeyUsage = [.serverAuthentication, .any]
        options.permittedNames = ["example.test", "10.0.0.0/8", "192.0.2.128/25", "2001:db8::/33"]
        options.excludedNames = ["*.odd.test", "10.0.0.0/33"]
        for made in try [CertificateAuthority(options), CertificateAuthority().issueIntermediate(options)] {
            let extensions = try certificate(made.der).extensions
            try expectEqual(extensions.basicConstraints, .isCertificateAuthority(maxPathLength: 2))
            try expectEqual(extensions.keyUsage, KeyUsage(keyAgreement: true, keyCertSign: true))
            try expectEqual(extensions.extendedKeyUsage, ExtendedKeyUsage([.serverAuth, .any]))
            try expectEqual(extensions.subjectAlternativeNames?.elementsEqual([.dnsName("ca.example.test")]), true)
            let constraints = try #require(try extensions.nameConstraints)
            expectEqual(Array(constraints.permittedDNSDomains), ["example.test"])
            expectEqual(
                constraints.permittedIPRanges.map { Array($0.bytes) },
                [
                    [10, 0, 0, 0, 255, 0, 0, 0], [192, 0, 2, 128, 255, 255, 255, 128],
                    [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 12) + [255, 255, 255, 255, 128]
                        + [UInt8](repeating: 0, count: 11),
                ])
            expectEqual(Array(constraints.excludedDNSDomains), ["*.odd.test", "10.0.0.0/33"])
        }
    }

    @Test("Empty extensions are left out")
    func empty() throws {
        var options = AuthorityOptions()
        (options.keyUsage, options.omitsBasicConstraints) = ([], true)
        let bare = try certificate(CertificateAuthority(options).der)
        expectEqual(bare.extensions.map(\.oid), [.X509ExtensionID.subjectKeyIdentifier])
        options = AuthorityOptions()
        options.isCertificateAuthority = false
        let none = try certificate(CertificateAuthority(options).der)
        try expectEqual(none.extensions.basicConstraints, .notCertificateAuthority)
    }

    @Test("Keys of every kind sign and are signed", arguments: CertificateOptions.KeyKind.allCases)
    func keys(kind: CertificateOptions.KeyKind) throws {
        var options = AuthorityOptions()
        options.key = kind
        let authority = try CertificateAuthority(options)
        let bundle = try authority.issue(CertificateOptions(keyUsage: [.keyEncipherment], key: kind))
        let leaf = try certificate(bundle.leafDER)
        #expect(try certificate(authority.der).publicKey.isValidSignature(leaf.signature, for: leaf))
        try expectEqual(Certificate.PrivateKey(pemEncoded: bundle.privateKeyPEM).publicKey, leaf.publicKey)
        try expectEqual(leaf.extensions.keyUsage, KeyUsage(keyEncipherment: true))
    }

    @Test("A cross certificate has the name and key of one authority and the signature of another")
    func crossSigned() throws {
        let (old, new) = (try CertificateAuthority(commonName: "Old"), try CertificateAuthority(commonName: "New"))
        let cross = try new.crossSigned(by: old)
        let (made, own) = (try certificate(cross.der), try certificate(new.der))
        expectEqual(made.subject, own.subject)
        expectEqual(made.publicKey, own.publicKey)
        try expectEqual(made.issuer, certificate(old.der).subject)
        #expect(try certificate(old.der).publicKey.isValidSignature(made.signature, for: made))
        let middle = try cross.issueIntermediate()
        expectEqual(middle.chainDER, [middle.der, cross.der])
        #expect(new.chainDER.isEmpty)
        let bundle = try middle.issue()
        try expectEqual(bundle.chainDER(), [bundle.leafDER, middle.der, cross.der])
    }

    @Test("A bundle presents the certificates it is told to")
    func presenting() throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue()
        let other = bundle.presenting([authority.der, bundle.leafDER])
        try expectEqual(other.chainDER(), [bundle.leafDER, authority.der, bundle.leafDER])
        expectEqual(other.privateKeyPEM, bundle.privateKeyPEM)
        try expectEqual(bundle.presenting([]).chainDER(), [bundle.leafDER])
    }
}
