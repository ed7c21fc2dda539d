public import SternaPlatform
import SwiftASN1
import X509

/// A certificate authority generated for tests only: its key, P-256 by default, exists only in this process's memory.
public struct CertificateAuthority: Sendable {
    let certificate: Certificate
    let key: Certificate.PrivateKey
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
        try self.init(AuthorityOptions(commonName: commonName, notBefore: notBefore, notAfter: notAfter))
    }

    /// A root authority under its own signature, with any content.
    ///
    /// - Throws: An error of the X.509 library when the options make no certificate.
    public init(_ options: AuthorityOptions) throws {
        key = CertificateMaker.key(options.key)
        certificate = try CertificateMaker.authority(options, key: key, issuer: nil)
        intermediates = []
    }

    private init(certificate: Certificate, key: Certificate.PrivateKey, intermediates: [Certificate]) {
        self.certificate = certificate
        self.key = key
        self.intermediates = intermediates
    }

    /// Issues a certificate with a new key.
    ///
    /// - Throws: An error of the X.509 library when the options make no certificate.
    public func issue(_ options: CertificateOptions = CertificateOptions()) throws -> CertificateBundle {
        let key = CertificateMaker.key(options.key)
        let leaf = try CertificateMaker.leaf(options, key: key, issuer: (certificate, self.key))
        return try CertificateMaker.bundle(
            leaf, key: key, intermediates: options.includesIntermediates ? intermediates : [])
    }

    /// Issues a certificate for hosts, both names and addresses, with the other options' defaults.
    public func issue(hosts: [String]) throws -> CertificateBundle {
        try issue(CertificateOptions(hosts: hosts))
    }

    /// Issues an authority under this one; certificates issued by it include its certificate in their chain.
    ///
    /// - Parameters:
    ///   - commonName: The subject's common name.
    ///   - notBefore: The first moment of validity, one day ago by default.
    ///   - notAfter: The last moment of validity, 180 days ahead by default.
    ///   - pathLength: The maximum number of authorities below (RFC 5280 §4.2.1.9); `nil` for no limit.
    public func issueIntermediate(
        commonName: String = "Sterna Test Intermediate CA", notBefore: Date = Date(timeIntervalSinceNow: -86_400),
        notAfter: Date = Date(timeIntervalSinceNow: 180 * 86_400), pathLength: Int? = nil
    ) throws -> CertificateAuthority {
        var options = AuthorityOptions(commonName: commonName, notBefore: notBefore, notAfter: notAfter)
        options.pathLength = pathLength
        return try issueIntermediate(options)
    }

    /// Issues an authority with any content under this one; certificates issued by it include its certificate in their chain.
    ///
    /// - Throws: An error of the X.509 library when the options make no certificate.
    public func issueIntermediate(_ options: AuthorityOptions) throws -> CertificateAuthority {
        try issue(options, key: CertificateMaker.key(options.key))
    }

    /// Returns this authority's name and key under another authority, as an old root that clients know signs a new one.
    ///
    /// Certificates issued by the result include the cross certificate in their chain. For a chain with both ways to a root, see
    /// ``CertificateBundle/presenting(_:)``.
    ///
    /// - Parameters:
    ///   - other: The authority that signs.
    ///   - options: The content of the cross certificate; its common name and kind of key are always this authority's.
    /// - Throws: An error of the X.509 library when the options make no certificate.
    public func crossSigned(
        by other: CertificateAuthority, _ options: AuthorityOptions = AuthorityOptions()
    ) throws -> CertificateAuthority {
        try other.issue(options, key: key, subject: certificate.subject)
    }

    private func issue(
        _ options: AuthorityOptions, key: Certificate.PrivateKey, subject: DistinguishedName? = nil
    ) throws -> CertificateAuthority {
        let certificate = try CertificateMaker.authority(
            options, key: key, subject: subject, issuer: (self.certificate, self.key))
        return CertificateAuthority(certificate: certificate, key: key, intermediates: [certificate] + intermediates)
    }

    /// The authority's certificate in PEM.
    public var pem: String {
        (try? certificate.serializeAsPEM().pemString).map { $0 + "\n" } ?? ""
    }

    /// The authority's certificate in DER.
    public var der: [UInt8] {
        (try? CertificateMaker.der(certificate)) ?? []
    }

    /// The chain of certificates issued by this authority, in DER: its own certificate and those above it without the root; empty
    /// for a root.
    public var chainDER: [[UInt8]] {
        intermediates.compactMap { try? CertificateMaker.der($0) }
    }

    /// Writes the authority's certificate in PEM to a file, replacing an existing one.
    public func writePEM(toPath path: String) throws {
        try Data(pem.utf8).write(to: URL(filePath: path))
    }
}
