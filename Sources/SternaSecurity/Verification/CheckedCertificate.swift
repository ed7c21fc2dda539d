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

    var summary: CertificateSummary { CertificateSummary(certificate, raw: raw, der: der) }
}
