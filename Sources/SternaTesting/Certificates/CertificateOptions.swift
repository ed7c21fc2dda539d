public import SternaPlatform

/// The content of a certificate to be issued.
public struct CertificateOptions: Sendable {
    /// A purpose in the extended key usage extension (RFC 5280 §4.2.1.12).
    public enum Usage: Sendable, Hashable {
        /// TLS servers.
        case serverAuthentication
        /// TLS clients.
        case clientAuthentication
        /// Signing of code, which no TLS peer may accept.
        case codeSigning
        /// Mail, which no TLS peer may accept either.
        case emailProtection
        /// Every purpose (anyExtendedKeyUsage).
        case any
    }

    /// A purpose of a key (RFC 5280 §4.2.1.3).
    public enum KeyUsage: Sendable, Hashable, CaseIterable {
        /// Signatures, as in every handshake of TLS 1.3.
        case digitalSignature
        /// Encryption of keys, as in handshakes of TLS 1.2 without forward secrecy.
        case keyEncipherment
        /// Agreement on keys.
        case keyAgreement
        /// Signatures on certificates.
        case certificateSigning
        /// Signatures on revocation lists.
        case revocationListSigning
    }

    /// A kind of key; all are for elliptic curves, since such keys are generated fast.
    public enum KeyKind: Sendable, Hashable, CaseIterable {
        /// NIST's curve of 256 bits.
        case p256
        /// NIST's curve of 384 bits.
        case p384
        /// NIST's curve of 521 bits, which TLS clients need not support in a leaf; Sterna does not.
        case p521
    }

    /// The names and addresses of the certificate: DNS names, also with a leading `*.`, and IPv4 and IPv6 addresses without
    /// brackets, each written as its kind of subject alternative name. `localhost`, `127.0.0.1` and `::1` by default.
    public var hosts: [String]
    /// The subject's common name; `nil` takes the first of the hosts.
    public var commonName: String?
    /// The first moment of validity, one day ago by default.
    public var notBefore: Date
    /// The last moment of validity, 30 days ahead by default.
    public var notAfter: Date
    /// The extended key usages, server authentication by default; empty leaves the extension out.
    public var extendedKeyUsage: [Usage]
    /// The purposes of the key: empty leaves the extension out; `nil`, the default, derives them from the other options, digital
    /// signatures, and certificate signatures too for a pretended authority.
    public var keyUsage: Set<KeyUsage>?
    /// The kind of key, P-256 by default.
    public var key: KeyKind
    /// Whether to leave out the subject alternative name extension, so that only the common name names the host. False by default.
    public var omitsSubjectAlternativeName: Bool
    /// Whether basic constraints mark the certificate as an authority's, for a leaf that pretends to be an authority. False by
    /// default.
    public var isCertificateAuthority: Bool
    /// Whether the bundle's chain contains the intermediate certificates between this one and the root. True by default.
    public var includesIntermediates: Bool

    /// Options with the defaults above.
    public init(
        hosts: [String] = ["localhost", "127.0.0.1", "::1"], commonName: String? = nil,
        notBefore: Date = Date(timeIntervalSinceNow: -86_400),
        notAfter: Date = Date(timeIntervalSinceNow: 30 * 86_400),
        extendedKeyUsage: [Usage] = [.serverAuthentication], keyUsage: Set<KeyUsage>? = nil, key: KeyKind = .p256,
        omitsSubjectAlternativeName: Bool = false, isCertificateAuthority: Bool = false,
        includesIntermediates: Bool = true
    ) {
        self.hosts = hosts
        self.commonName = commonName
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.extendedKeyUsage = extendedKeyUsage
        self.keyUsage = keyUsage
        self.key = key
        self.omitsSubjectAlternativeName = omitsSubjectAlternativeName
        self.isCertificateAuthority = isCertificateAuthority
        self.includesIntermediates = includesIntermediates
    }
}
