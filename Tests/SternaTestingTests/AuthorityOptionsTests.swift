import SternaTesting
import SwiftASN1
import Testing
import X509

@Suite("Contents of certificates made on the fly")
struct AuthorityOptionsTests {
    private func certificate(_ der: [UInt8]) throws -> Certificate { try Certificate(derEncoded: der) }

    @Test("An authority says what its options say")
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
            #expect(try extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 2))
            #expect(try extensions.keyUsage == KeyUsage(keyAgreement: true, keyCertSign: true))
            #expect(try extensions.extendedKeyUsage == ExtendedKeyUsage([.serverAuth, .any]))
            #expect(try extensions.subjectAlternativeNames?.elementsEqual([.dnsName("ca.example.test")]) == true)
            let constraints = try #require(try extensions.nameConstraints)
            #expect(Array(constraints.permittedDNSDomains) == ["example.test"])
            #expect(
                constraints.permittedIPRanges.map { Array($0.bytes) } == [
                    [10, 0, 0, 0, 255, 0, 0, 0], [192, 0, 2, 128, 255, 255, 255, 128],
                    [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 12) + [255, 255, 255, 255, 128]
                        + [UInt8](repeating: 0, count: 11),
                ])
            #expect(Array(constraints.excludedDNSDomains) == ["*.odd.test", "10.0.0.0/33"])
        }
    }

    @Test("Extensions are left out where nothing is in them")
    func empty() throws {
        var options = AuthorityOptions()
        (options.keyUsage, options.omitsBasicConstraints) = ([], true)
        let bare = try certificate(CertificateAuthority(options).der)
        #expect(bare.extensions.map(\.oid) == [.X509ExtensionID.subjectKeyIdentifier])
        options = AuthorityOptions()
        options.isCertificateAuthority = false
        let none = try certificate(CertificateAuthority(options).der)
        #expect(try none.extensions.basicConstraints == .notCertificateAuthority)
    }

    @Test("Keys of every kind sign and are signed", arguments: CertificateOptions.KeyKind.allCases)
    func keys(kind: CertificateOptions.KeyKind) throws {
        var options = AuthorityOptions()
        options.key = kind
        let authority = try CertificateAuthority(options)
        let bundle = try authority.issue(CertificateOptions(keyUsage: [.keyEncipherment], key: kind))
        let leaf = try certificate(bundle.leafDER)
        #expect(try certificate(authority.der).publicKey.isValidSignature(leaf.signature, for: leaf))
        #expect(try Certificate.PrivateKey(pemEncoded: bundle.privateKeyPEM).publicKey == leaf.publicKey)
        #expect(try leaf.extensions.keyUsage == KeyUsage(keyEncipherment: true))
    }

    @Test("A cross certificate has the name and key of one authority and the signature of another")
    func crossSigned() throws {
        let (old, new) = (try CertificateAuthority(commonName: "Old"), try CertificateAuthority(commonName: "New"))
        let cross = try new.crossSigned(by: old)
        let (made, own) = (try certificate(cross.der), try certificate(new.der))
        #expect(made.subject == own.subject)
        #expect(made.publicKey == own.publicKey)
        #expect(try made.issuer == certificate(old.der).subject)
        #expect(try certificate(old.der).publicKey.isValidSignature(made.signature, for: made))
        let middle = try cross.issueIntermediate()
        #expect(middle.chainDER == [middle.der, cross.der])
        #expect(new.chainDER.isEmpty)
        let bundle = try middle.issue()
        #expect(try bundle.chainDER() == [bundle.leafDER, middle.der, cross.der])
    }

    @Test("A bundle presents the certificates it is told to")
    func presenting() throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue()
        let other = bundle.presenting([authority.der, bundle.leafDER])
        #expect(try other.chainDER() == [bundle.leafDER, authority.der, bundle.leafDER])
        #expect(other.privateKeyPEM == bundle.privateKeyPEM)
        #expect(try bundle.presenting([]).chainDER() == [bundle.leafDER])
    }
}
