import Crypto
public import FoundationEssentials
import SwiftASN1
import X509

/// A certificate authority made on the spot with a P-256 key, for tests only: its key lives in this process's memory.
public struct CertificateAuthority: Sendable {
    let certificate: Certificate
    let key: P256.Signing.PrivateKey
    /// This authority's certificate and those above it, without the root; empty for a root.
    let intermediates: [Certificate]

    /// A root authority under its own signature.
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name.
    ///   - notBefore: The first moment of validity, one day ago by default.
    ///   - notAfter: The last moment of validity, 365 days ahead by default.
    /// - Throws: An error of the X.509 library when these make no certificate.
    public init(
        commonName: String = "Sterna Test CA", notBefore: Date = Date(timeIntervalSinceNow: -86_400),
        notAfter: Date = Date(timeIntervalSinceNow: 365 * 86_400)
    ) throws {
        key = P256.Signing.PrivateKey()
        certificate = try CertificateMaker.authority(
            commonName: commonName, key: key, notBefore: notBefore, notAfter: notAfter, pathLength: nil, issuer: nil)
        intermediates = []
    }

    private init(certificate: Certificate, key: P256.Signing.PrivateKey, intermediates: [Certificate]) {
        self.certificate = certificate
        self.key = key
        self.intermediates = intermediates
    }

    /// Issues a certificate with a key of its own.
    ///
    /// - Throws: An error of the X.509 library when the options make no certificate.
    public func issue(_ options: CertificateOptions = CertificateOptions()) throws -> CertificateBundle {
        let key = P256.Signing.PrivateKey()
        let leaf = try CertificateMaker.leaf(options, key: key, issuer: (certificate, self.key))
        return try CertificateMaker.bundle(
            leaf, key: key, intermediates: options.includesIntermediates ? intermediates : [])
    }

    /// Issues a certificate for hosts, names and addresses mixed, with the other options' defaults.
    public func issue(hosts: [String]) throws -> CertificateBundle {
        try issue(CertificateOptions(hosts: hosts))
    }

    /// Issues an authority under this one; certificates it issues carry it in their chain.
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name.
    ///   - notBefore: The first moment of validity, one day ago by default.
    ///   - notAfter: The last moment of validity, 180 days ahead by default.
    ///   - pathLength: The most authorities that may follow below (RFC 5280 §4.2.1.9); `nil` for no limit.
    public func issueIntermediate(
        commonName: String = "Sterna Test Intermediate CA", notBefore: Date = Date(timeIntervalSinceNow: -86_400),
        notAfter: Date = Date(timeIntervalSinceNow: 180 * 86_400), pathLength: Int? = nil
    ) throws -> CertificateAuthority {
        let key = P256.Signing.PrivateKey()
        let certificate = try CertificateMaker.authority(
            commonName: commonName, key: key, notBefore: notBefore, notAfter: notAfter, pathLength: pathLength,
            issuer: (self.certificate, self.key))
        return CertificateAuthority(
            certificate: certificate, key: key, intermediates: [certificate] + intermediates)
    }

    /// The authority's certificate in PEM.
    public var pem: String {
        (try? certificate.serializeAsPEM().pemString).map { $0 + "\n" } ?? ""
    }

    /// The authority's certificate in DER.
    public var der: [UInt8] {
        (try? CertificateMaker.der(certificate)) ?? []
    }

    /// Writes the authority's certificate in PEM to a file, replacing what is there.
    public func writePEM(toPath path: String) throws {
        try Data(pem.utf8).write(to: URL(filePath: path))
    }
}
