public import SternaPlatform

/// The content of an authority's certificate. The defaults give a valid one; a test changes the part that it examines.
///
///     var options = AuthorityOptions(commonName: "Constrained CA")
///     options.permittedNames = ["example.test", "10.0.0.0/8"]
///     let authority = try root.issueIntermediate(options)
public struct AuthorityOptions: Sendable {
    /// The subject's common name.
    public var commonName: String
    /// The authority's own subject alternative names, which real ones do not have; none by default.
    public var hosts: [String] = []
    /// The first moment of validity, one day ago by default.
    public var notBefore: Date
    /// The last moment of validity, 180 days ahead by default.
    public var notAfter: Date
    /// The maximum number of authorities below (RFC 5280 §4.2.1.9); `nil`, the default, for no limit.
    public var pathLength: Int?
    /// Whether the basic constraints mark an authority; false makes one that must not issue. True by default.
    public var isCertificateAuthority = true
    /// Whether to leave out the basic constraints extension, which an authority needs. False by default.
    public var omitsBasicConstraints = false
    /// The purposes of the key, signing of certificates and revocation lists by default; empty leaves the extension out.
    public var keyUsage: Set<CertificateOptions.KeyUsage> = [.certificateSigning, .revocationListSigning]
    /// The purposes of the certificates that the authority may issue; empty, the default, leaves the extension out.
    public var extendedKeyUsage: [CertificateOptions.Usage] = []
    /// The only names that certificates below may have (RFC 5280 §4.2.1.10): DNS names with all names below them, and ranges of
    /// addresses such as `10.0.0.0/8`. Empty, the default, permits all. Any other text is written unchanged as a DNS name.
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
