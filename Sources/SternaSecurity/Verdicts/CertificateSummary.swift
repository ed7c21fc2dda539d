import Crypto
import SternaCore
public import SternaPlatform
import SwiftASN1
import X509

/// A certificate's content for messages, logs and tools. It has not been verified.
public struct CertificateSummary: Sendable, Hashable {
    /// The subject, as an RFC 4514 name.
    public let subject: String

    /// The issuer, as the certificate names it.
    public let issuer: String

    /// The start of its validity.
    public let notBefore: Date

    /// The end of its validity.
    public let notAfter: Date

    /// The hosts and addresses of the certificate; empty if it has more than 1,000 names.
    public let names: [String]

    /// The serial number in hexadecimal.
    public let serialNumber: String

    /// The algorithm of the signature, by its usual name.
    public let signatureAlgorithm: String

    /// The kind and size of the key.
    public let key: String

    /// The pin of its key: `sha256/` and the Base64 of the SHA-256 of the SubjectPublicKeyInfo (RFC 7469, 2.4).
    public let pin: String

    /// The SHA-256 of the whole certificate in hexadecimal.
    public let fingerprint: String

    /// The certificate in DER.
    public let der: [UInt8]

    /// Whether the subject and the issuer are the same.
    public let isSelfIssued: Bool

    /// Reads a certificate in DER; nil if the X.509 library cannot read it.
    package init?(der: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: der), let raw = RawCertificate(der) else { return nil }
        self.init(certificate, raw: raw, der: der)
    }

    init(_ certificate: Certificate, raw: RawCertificate, der: [UInt8]) {
        subject = FieldSyntax.printable("\(certificate.subject)", limit: 500)
        issuer = FieldSyntax.printable("\(certificate.issuer)", limit: 500)
        isSelfIssued = certificate.subject == certificate.issuer
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
        names =
            raw.nameCount > NameRules.maximumNames
            ? [] : ChainRules.identity(of: certificate).texts.map { FieldSyntax.printable($0, limit: 260) }
        serialNumber = Hexadecimal.text(certificate.serialNumber.bytes.prefix(64))
        signatureAlgorithm = "\(certificate.signatureAlgorithm)".replacing("SignatureAlgorithm.", with: "")
        key = KeyStrength.text(of: raw)
        pin = Pin(keyHash: raw.keyHash).description
        fingerprint = Hexadecimal.text(SHA256.hash(data: der))
        self.der = der
    }
}

extension CertificateSummary: CustomStringConvertible {
    /// One line: subject, issuer, days of validity, and the pin.
    public var description: String {
        "\(subject), issued by \(issuer), valid \(Day.text(notBefore)) to \(Day.text(notAfter)), key \(pin)"
    }
}

/// Formats days of certificates for messages.
enum Day {
    static func text(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}

enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.reduce(into: "") { text, byte in
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
    }
}
