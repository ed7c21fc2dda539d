import Crypto
import SwiftASN1

/// Parts read directly from a certificate's DER (RFC 5280, 4.1): the bytes for pins, and properties of certificates that the X.509
/// library cannot read.
struct RawCertificate: Sendable {
    /// The SubjectPublicKeyInfo as in the certificate; encoding the key anew may give other bytes.
    let subjectPublicKeyInfo: ArraySlice<UInt8>

    /// The algorithm of the issuer's signature.
    let signatureAlgorithm: ASN1ObjectIdentifier

    /// The algorithm of the key.
    let keyAlgorithm: ASN1ObjectIdentifier

    /// The bits of an RSA key's modulus.
    let modulusBits: Int?

    /// The curve of an elliptic key.
    let curve: ASN1ObjectIdentifier?

    /// The number of subject alternative names.
    let nameCount: Int

    /// The critical extensions, which a verifier must know or refuse.
    let criticalExtensions: [ASN1ObjectIdentifier]

    /// Reads a certificate; nil if the bytes are not a certificate.
    init?(_ der: [UInt8]) {
        guard let root = try? DER.parse(der), let parts = Self.children(of: root), parts.count == 3,
            let fields = Self.children(of: parts[0])
        else { return nil }
        // Version 1 certificates omit the version.
        let skipped = fields.first?.identifier == Self.tag(0) ? 1 : 0
        // Serial number, signature, issuer, validity, subject, key; then optional fields. The algorithm appears twice, and only
        // the signed occurrence can be trusted; the library uses the other one and does not compare them (RFC 5280, 4.1.1.2).
        guard fields.count >= skipped + 6, fields[skipped + 1].encodedBytes == parts[1].encodedBytes,
            let signature = Self.children(of: fields[skipped + 1])?.first,
            let signatureAlgorithm = try? ASN1ObjectIdentifier(derEncoded: signature)
        else { return nil }
        let key = fields[skipped + 5]
        guard let keyParts = Self.children(of: key), keyParts.count == 2,
            let algorithm = Self.children(of: keyParts[0]), let first = algorithm.first,
            let keyAlgorithm = try? ASN1ObjectIdentifier(derEncoded: first)
        else { return nil }
        subjectPublicKeyInfo = key.encodedBytes
        self.signatureAlgorithm = signatureAlgorithm
        self.keyAlgorithm = keyAlgorithm
        modulusBits = keyAlgorithm == Self.rsa ? Self.modulusBits(keyParts[1]) : nil
        // Not tried on the NULL of RSA keys, since making the library's error text would cost more than the rest.
        curve =
            algorithm.count > 1 && algorithm[1].identifier == .objectIdentifier
            ? try? ASN1ObjectIdentifier(derEncoded: algorithm[1]) : nil
        nameCount = fields.first { $0.identifier == Self.tag(3) }.map(Self.countNames) ?? 0
        criticalExtensions = fields.first { $0.identifier == Self.tag(3) }.map(Self.critical) ?? []
    }

    /// The SHA-256 of the key, which pins compare (RFC 7469, 2.4).
    var keyHash: [UInt8] { Array(SHA256.hash(data: subjectPublicKeyInfo)) }

    static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]

    /// The hash algorithm of the issuer's signature if signatures with it can be forged; nil otherwise.
    var forgeableHash: String? { Self.forgeable.first { $0.algorithm == signatureAlgorithm }?.hash }

    /// The algorithms of forgeable signatures: MD2, MD5, SHA-1. A list, since each dictionary type costs time at a program's start.
    private static let forgeable: [(algorithm: ASN1ObjectIdentifier, hash: String)] = [
        ([1, 2, 840, 113_549, 1, 1, 2], "MD2"), ([1, 2, 840, 113_549, 1, 1, 4], "MD5"),
        ([1, 2, 840, 113_549, 1, 1, 5], "SHA-1"), ([1, 2, 840, 10_045, 4, 1], "SHA-1"),
        ([1, 2, 840, 10_040, 4, 3], "SHA-1"), ([1, 3, 14, 3, 2, 29], "SHA-1"),
    ]

    private static func tag(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }

    private static func children(of node: ASN1Node) -> [ASN1Node]? {
        guard case .constructed(let nodes) = node.content else { return nil }
        return Array(nodes.prefix(1_000))
    }

    private static func modulusBits(_ key: ASN1Node) -> Int? {
        guard let bits = try? ASN1BitString(derEncoded: key), let pair = try? DER.parse(bits.bytes),
            let modulus = children(of: pair)?.first, case .primitive(let bytes) = modulus.content
        else { return nil }
        let digits = bytes.drop { $0 == 0 }
        guard let top = digits.first else { return 0 }
        return digits.count * 8 - top.leadingZeroBitCount
    }

    // Does not decode the names, since there may be tens of thousands.
    private static func countNames(in extensions: ASN1Node) -> Int {
        guard let list = children(of: extensions)?.first.flatMap(children) else { return 0 }
        for entry in list {
            guard let parts = children(of: entry), let first = parts.first,
                let name = try? ASN1ObjectIdentifier(derEncoded: first), name == [2, 5, 29, 17], let last = parts.last,
                let value = try? ASN1OctetString(derEncoded: last), let names = try? DER.parse(value.bytes),
                case .constructed(let nodes) = names.content
            else { continue }
            return nodes.reduce(0) { count, _ in count + 1 }
        }
        return 0
    }

    private static func critical(in extensions: ASN1Node) -> [ASN1ObjectIdentifier] {
        guard let list = children(of: extensions)?.first.flatMap(children) else { return [] }
        return list.compactMap { entry in
            guard let parts = children(of: entry), parts.count == 3,
                (try? Bool(derEncoded: parts[1])) == true
            else { return nil }
            return try? ASN1ObjectIdentifier(derEncoded: parts[0])
        }
    }
}
