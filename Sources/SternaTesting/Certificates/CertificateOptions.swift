public import FoundationEssentials

/// What a certificate to be issued says.
public struct CertificateOptions: Sendable {
    /// A purpose in the extended key usage extension (RFC 5280 §4.2.1.12).
    public enum Usage: Sendable, Hashable {
        /// TLS servers.
        case serverAuthentication
        /// TLS clients.
        case clientAuthentication
        /// Signing of code, which no TLS peer may accept.
        case codeSigning
    }

    /// The names and addresses the certificate is for: DNS names, with a leading `*.` too, and IPv4 and IPv6 addresses
    /// without brackets, each sorted into its kind of subject alternative name. `localhost`, `127.0.0.1` and `::1` by
    /// default.
    public var hosts: [String]
    /// The subject's common name; `nil` takes the first of the hosts.
    public var commonName: String?
    /// The first moment of validity, one day ago by default.
    public var notBefore: Date
    /// The last moment of validity, 30 days ahead by default.
    public var notAfter: Date
    /// The extended key usages, server authentication by default; empty leaves the extension out.
    public var extendedKeyUsage: [Usage]
    /// Leaves out the subject alternative name extension, so that only the common name names the host.
    public var omitsSubjectAlternativeName: Bool
    /// Marks the certificate as an authority's by basic constraints, for a leaf that pretends to be one.
    public var isCertificateAuthority: Bool
    /// Whether the bundle's chain holds the intermediate certificates between this one and the root. True by default.
    public var includesIntermediates: Bool

    /// Options with the defaults above.
    public init(
        hosts: [String] = ["localhost", "127.0.0.1", "::1"], commonName: String? = nil,
        notBefore: Date = Date(timeIntervalSinceNow: -86_400),
        notAfter: Date = Date(timeIntervalSinceNow: 30 * 86_400),
        extendedKeyUsage: [Usage] = [.serverAuthentication], omitsSubjectAlternativeName: Bool = false,
        isCertificateAuthority: Bool = false, includesIntermediates: Bool = true
    ) {
        self.hosts = hosts
        self.commonName = commonName
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.extendedKeyUsage = extendedKeyUsage
        self.omitsSubjectAlternativeName = omitsSubjectAlternativeName
        self.isCertificateAuthority = isCertificateAuthority
        self.includesIntermediates = includesIntermediates
    }
}

/// A certificate with its chain and its private key, ready for a TLS server or client.
public struct CertificateBundle: Sendable {
    /// The leaf's certificate in PEM, then the intermediates' from the leaf upward, without the root.
    public var certificateChainPEM: String
    /// The leaf's private key in PEM (PKCS #8).
    public var privateKeyPEM: String
    /// The leaf's certificate in DER.
    public var leafDER: [UInt8]
    /// The SHA-256 of the leaf's SubjectPublicKeyInfo, as pins are made (RFC 7469 §2.4).
    public var publicKeySHA256: [UInt8]

    /// A bundle of parts made elsewhere.
    public init(certificateChainPEM: String, privateKeyPEM: String, leafDER: [UInt8], publicKeySHA256: [UInt8]) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
        self.leafDER = leafDER
        self.publicKeySHA256 = publicKeySHA256
    }

    /// A certificate signed by its own key, that no store trusts.
    ///
    /// - Throws: An error of the X.509 library when the options make no certificate.
    public static func selfSigned(_ options: CertificateOptions = CertificateOptions()) throws -> CertificateBundle {
        try CertificateMaker.selfSigned(options)
    }

    /// Writes the chain in PEM to a file, replacing what is there.
    public func writeChainPEM(toPath path: String) throws {
        try Data(certificateChainPEM.utf8).write(to: URL(filePath: path))
    }

    /// Writes the private key in PEM to a file, replacing what is there.
    public func writePrivateKeyPEM(toPath path: String) throws {
        try Data(privateKeyPEM.utf8).write(to: URL(filePath: path))
    }
}
