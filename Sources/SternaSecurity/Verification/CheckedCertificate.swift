import SwiftASN1
import X509

/// A readable certificate, with its bytes.
struct CheckedCertificate: Sendable {
    let certificate: Certificate
    let raw: RawCertificate
    let der: [UInt8]

    init?(_ der: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: der), let raw = RawCertificate(der) else { return nil }
        self.certificate = certificate
        self.raw = raw
        self.der = der
    }

    /// Wraps a certificate of the X.509 library; nil if its bytes cannot be read again.
    init?(_ certificate: Certificate) {
        guard let der = certificate.der, let raw = RawCertificate(der) else { return nil }
        self.certificate = certificate
        self.raw = raw
        self.der = der
    }

    var summary: CertificateSummary { CertificateSummary(certificate, raw: raw, der: der) }

    /// Whether the subject and the issuer are the same (RFC 5280, 6.1).
    var isSelfIssued: Bool { certificate.issuer == certificate.subject }
}
