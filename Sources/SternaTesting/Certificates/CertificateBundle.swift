import SternaPlatform
import SwiftASN1

/// A certificate with its chain and its private key, ready for a TLS server or client.
public struct CertificateBundle: Sendable {
    /// The leaf's certificate in PEM, then the intermediates' from the leaf upward, without the root.
    public var certificateChainPEM: String
    /// The leaf's private key in PEM (PKCS #8).
    public var privateKeyPEM: String
    /// The leaf's certificate in DER.
    public var leafDER: [UInt8]
    /// The SHA-256 of the leaf's SubjectPublicKeyInfo, as pins use it (RFC 7469 §2.4).
    public var publicKeySHA256: [UInt8]

    /// A bundle of existing parts.
    public init(certificateChainPEM: String, privateKeyPEM: String, leafDER: [UInt8], publicKeySHA256: [UInt8]) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
        self.leafDER = leafDER
        self.publicKeySHA256 = publicKeySHA256
    }

    /// A certificate signed by its own key, which no store trusts.
    ///
    /// - Throws: An error of the X.509 library when the options make no certificate.
    public static func selfSigned(_ options: CertificateOptions = CertificateOptions()) throws -> CertificateBundle {
        try CertificateMaker.selfSigned(options)
    }

    /// The certificates of the chain in DER, the leaf's first.
    ///
    /// - Throws: An error of the ASN.1 library when the chain is not PEM.
    public func chainDER() throws -> [[UInt8]] {
        try PEMDocument.parseMultiple(pemString: certificateChainPEM).map(\.derBytes)
    }

    /// Returns the same leaf and key with other certificates after the leaf, in that order, whether or not they belong there.
    ///
    /// - Parameter others: Certificates in DER, as ``CertificateAuthority/der`` and ``CertificateAuthority/chainDER`` give.
    public func presenting(_ others: [[UInt8]]) -> CertificateBundle {
        var bundle = self
        bundle.certificateChainPEM = ([leafDER] + others)
            .map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString + "\n" }.joined()
        return bundle
    }

    /// Writes the chain in PEM to a file, replacing an existing one.
    public func writeChainPEM(toPath path: String) throws {
        try Data(certificateChainPEM.utf8).write(to: URL(filePath: path))
    }

    /// Writes the private key in PEM to a file, replacing an existing one.
    public func writePrivateKeyPEM(toPath path: String) throws {
        try Data(privateKeyPEM.utf8).write(to: URL(filePath: path))
    }
}
