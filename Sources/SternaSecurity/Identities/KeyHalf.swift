import SwiftASN1

/// The public half of a key: an RSA key's modulus and exponent, or an elliptic key's curve and point.
struct KeyHalf: Hashable {
    private enum Kind: Hashable {
        case rsa(modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>)
        case elliptic(curve: ASN1ObjectIdentifier, point: ArraySlice<UInt8>)
    }

    private let kind: Kind

    /// Reads the public half from a certificate in DER; nil for keys of other algorithms.
    init?(certificate der: [UInt8]) {
        guard let raw = RawCertificate(der), let info = try? DER.parse(raw.subjectPublicKeyInfo),
            let parts = Self.children(of: info), parts.count == 2,
            let bits = try? ASN1BitString(derEncoded: parts[1])
        else { return nil }
        if raw.keyAlgorithm == RawCertificate.rsa {
            guard let pair = try? DER.parse(bits.bytes), let numbers = Self.children(of: pair), numbers.count == 2,
                let modulus = Self.bytes(of: numbers[0]), let exponent = Self.bytes(of: numbers[1])
            else { return nil }
            kind = .rsa(modulus: modulus, exponent: exponent)
        } else if raw.keyAlgorithm == [1, 2, 840, 10_045, 2, 1], let curve = raw.curve {
            kind = .elliptic(curve: curve, point: bits.bytes)
        } else {
            return nil
        }
    }

    /// Reads the public half from a private key in the forms that the TLS library writes: PKCS #1 (RFC 8017, A.1.2) and SEC 1
    /// (RFC 5915, 3); nil for others.
    init?(privateKey der: [UInt8]) {
        guard let root = try? DER.parse(der), let parts = Self.children(of: root), parts.count >= 4 else { return nil }
        // PKCS #1: version, modulus, public exponent, and six more numbers.
        if parts.count == 9, let modulus = Self.bytes(of: parts[1]), let exponent = Self.bytes(of: parts[2]) {
            kind = .rsa(modulus: modulus, exponent: exponent)
            return
        }
        // SEC 1: version, the secret, the curve under tag 0 and the point under tag 1.
        guard parts.count == 4, let named = Self.children(of: parts[2])?.first,
            let curve = try? ASN1ObjectIdentifier(derEncoded: named),
            let point = Self.children(of: parts[3])?.first, let bits = try? ASN1BitString(derEncoded: point)
        else { return nil }
        kind = .elliptic(curve: curve, point: bits.bytes)
    }

    /// Returns whether two halves certainly belong to different keys: both are known, and their points use the same encoding.
    func differs(from other: KeyHalf?) -> Bool {
        guard let other else { return false }
        if case .elliptic(let curve, let point) = kind, case .elliptic(curve, let otherPoint) = other.kind,
            point.count != otherPoint.count
        {
            return false
        }
        return self != other
    }

    private static func children(of node: ASN1Node) -> [ASN1Node]? {
        guard case .constructed(let nodes) = node.content else { return nil }
        return Array(nodes.prefix(10))
    }

    private static func bytes(of node: ASN1Node) -> ArraySlice<UInt8>? {
        guard node.identifier == .integer, case .primitive(let bytes) = node.content else { return nil }
        return bytes
    }
}
