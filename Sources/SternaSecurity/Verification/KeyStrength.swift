import SwiftASN1

/// Rejects keys that are too weak for a server or its issuers, or so large that verifying their signatures would be an attack.
enum KeyStrength {
    /// The permitted bits of an RSA key: smaller keys can be factored, larger ones cost too much to verify.
    static let rsaBits = 2_048...8_192

    // A list, since each dictionary type costs time at a program's start.
    private static let curves: [(identifier: ASN1ObjectIdentifier, name: String, cost: Int)] = [
        ([1, 2, 840, 10_045, 3, 1, 7], "P-256", 1), ([1, 3, 132, 0, 34], "P-384", 4),
        ([1, 3, 132, 0, 35], "P-521", 16),
    ]

    /// Returns the reason for refusing a key; nil for an accepted key.
    static func refusal(of certificate: RawCertificate) -> String? {
        guard certificate.keyAlgorithm == RawCertificate.rsa else { return nil }
        guard let bits = certificate.modulusBits else { return "its RSA key cannot be read" }
        if bits < rsaBits.lowerBound { return "its RSA key has \(bits) bits, fewer than \(rsaBits.lowerBound)" }
        if bits > rsaBits.upperBound { return "its RSA key has \(bits) bits, more than \(rsaBits.upperBound)" }
        return nil
    }

    /// Returns the cost of verifying a signature of the key, relative to a P-256 key.
    static func cost(of certificate: RawCertificate) -> Int {
        if let bits = certificate.modulusBits { return bits > 4_096 ? 4 : 1 }
        return curves.first { $0.identifier == certificate.curve }?.cost ?? 4
    }

    static func text(of certificate: RawCertificate) -> String {
        if let bits = certificate.modulusBits { return "RSA \(bits)" }
        if let curve = certificate.curve { return "EC \(curves.first { $0.identifier == curve }?.name ?? "\(curve)")" }
        return certificate.keyAlgorithm == [1, 3, 101, 112] ? "Ed25519" : "\(certificate.keyAlgorithm)"
    }
}
