public import SternaPlatform

/// What an authority's certificate says; every default makes a good one, and a test spoils what it is about.
///
///     var options = AuthorityOptions(commonName: "Constrained CA")
///     options.permittedNames = ["example.test", "10.0.0.0/8"]
///     let authority = try root.issueIntermediate(options)
public struct AuthorityOptions: Sendable {
    /// The subject's common name.
    public var commonName: String
    /// Subject alternative names of the authority's own, which real ones do not have; none by default.
    public var hosts: [String] = []
    /// The first moment of validity, one day ago by default.
    public var notBefore: Date
    /// The last moment of validity, 180 days ahead by default.
    public var notAfter: Date
    /// The most authorities that may follow below (RFC 5280 §4.2.1.9); `nil`, the default, for no limit.
    public var pathLength: Int?
    /// Whether the basic constraints say that it is an authority; false makes one that must not issue. True by default.
    public var isCertificateAuthority = true
    /// Leaves out the basic constraints extension, without which it is no authority either.
    public var omitsBasicConstraints = false
    /// What the key may be used for, signing of certificates and revocation lists by default; empty leaves the extension
    /// out.
    public var keyUsage: Set<CertificateOptions.KeyUsage> = [.certificateSigning, .revocationListSigning]
    /// The purposes of the certificates that it may issue; empty, the default, leaves the extension out.
    public var extendedKeyUsage: [CertificateOptions.Usage] = []
    /// The only names that certificates below may have (RFC 5280 §4.2.1.10): DNS names with all below them, and ranges of
    /// addresses as `10.0.0.0/8`. Empty, the default, permits all. What is neither is written as a DNS name as it stands.
    public var permittedNames: [String] = []
    /// Names that certificates below must not have, in the same form; none by default.
    public var excludedNames: [String] = []
    /// The kind of key, P-256 by default.
    public var key = CertificateOptions.KeyKind.p256

    /// Options with the defaults above.
    public init(
        commonName: String = "Sterna Test Intermediate CA", notBefore: Date = Date(timeIntervalSinceNow: -86_400),
        notAfter: Date = Date(timeIntervalSinceNow: 180 * 86_400)
    ) {
        self.commonName = commonName
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}
