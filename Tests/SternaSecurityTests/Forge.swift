import Crypto
import SternaPlatform
import SwiftASN1
import X509

/// Makes certificates of any content, right or wrong, valid from 2020 to 2030 unless told otherwise.
struct Forge {
    let certificate: Certificate
    let key: P256.Signing.PrivateKey

    /// 2025-01-01.
    static let now = 1_735_689_600.0
    static let start = Date(timeIntervalSince1970: 1_577_836_800)
    static let end = Date(timeIntervalSince1970: 1_893_456_000)
    static let host = "www.example.test"

    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    var pem: String { get throws { try certificate.serializeAsPEM().pemString } }

    static func authorityExtensions(pathLength: Int? = nil, keyCertSign: Bool = true) throws -> [Certificate.Extension]
    {
        [
            try .init(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength), critical: true),
            try .init(KeyUsage(digitalSignature: !keyCertSign, keyCertSign: keyCertSign), critical: true),
        ]
    }

    static func leafExtensions(_ names: [GeneralName]) throws -> [Certificate.Extension] {
        [
            try .init(BasicConstraints.notCertificateAuthority, critical: true),
            try .init(KeyUsage(digitalSignature: true), critical: true),
            try .init(ExtendedKeyUsage([.serverAuth]), critical: false),
        ] + (names.isEmpty ? [] : [try .init(SubjectAlternativeNames(names), critical: false)])
    }

    /// A certificate under its own signature.
    static func root(
        _ name: String = "Root", key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        _ extensions: [Certificate.Extension]? = nil
    ) throws -> Forge {
        try make(name, issuer: nil, key: key, extensions: extensions ?? authorityExtensions(), start, end)
    }

    /// A certificate under this one; its name may be empty.
    func issue(
        _ name: String = Forge.host, key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        _ extensions: [Certificate.Extension], from start: Date = Forge.start, until end: Date = Forge.end,
        version: Certificate.Version = .v3
    ) throws -> Forge {
        try Self.make(name, issuer: self, key: key, extensions: extensions, start, end, version: version)
    }

    func issueAuthority(_ name: String = "Intermediate", pathLength: Int? = nil) throws -> Forge {
        try issue(name, Self.authorityExtensions(pathLength: pathLength))
    }

    func issueLeaf(_ names: [GeneralName] = [.dnsName(Forge.host)]) throws -> Forge {
        try issue(Self.host, Self.leafExtensions(names))
    }

    private static func make(
        _ name: String, issuer: Forge?, key: P256.Signing.PrivateKey, extensions: [Certificate.Extension],
        _ start: Date,
        _ end: Date, version: Certificate.Version = .v3
    ) throws -> Forge {
        let subject = try name.isEmpty ? DistinguishedName() : DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: version, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: start,
            notValidAfter: end, issuer: issuer?.certificate.subject ?? subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(extensions),
            issuerPrivateKey: .init(issuer?.key ?? key))
        return Forge(certificate: certificate, key: key)
    }
}

/// The DER of certificates in PEM.
func der(_ pems: String...) throws -> [[UInt8]] {
    try pems.map { try PEMDocument(pemString: $0).derBytes }
}
