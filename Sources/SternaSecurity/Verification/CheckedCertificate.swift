import SwiftASN1
import X509

/// A certificate that could be read, with its bytes.
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

    /// A certificate that the X.509 library has read; nil where its bytes cannot be read again.
    init?(_ certificate: Certificate) {
        guard let der = certificate.der, let raw = RawCertificate(der) else { return nil }
        self.certificate = certificate
        self.raw = raw
        self.der = der
    }

    var summary: CertificateSummary { CertificateSummary(certificate, raw: raw, der: der) }

    /// Whether it names itself as its issuer (RFC 5280, 6.1).
    var isSelfIssued: Bool { certificate.issuer == certificate.subject }
}
