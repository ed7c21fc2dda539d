import SternaCore
import X509

/// What a server must show before it is trusted: which roots its certificate must lead to, and whether a failure may be
/// overlooked.
///
/// Its verdict is a function of the certificates shown, the host asked for and the time; it looks at nothing else.
public struct SecurityPolicy: Sendable, Hashable {
    /// Which root certificates are trusted.
    public var roots: TrustRoots

    /// Whether a certificate that fails is accepted all the same. Whoever stands between can then read and change
    /// everything; it is for tests only.
    public var allowsInvalidCertificates: Bool

    public init(roots: TrustRoots = .system, allowsInvalidCertificates: Bool = false) {
        self.roots = roots
        self.allowsInvalidCertificates = allowsInvalidCertificates
    }

    /// The roots that the system trusts, every check made.
    public static let system = SecurityPolicy()

    /// Roots of one's own instead of the system's: a file of certificates in PEM.
    public static func authority(file: String) -> SecurityPolicy { SecurityPolicy(roots: .file(file)) }

    /// Roots of one's own instead of the system's: certificates in PEM.
    public static func authority(pem: String) -> SecurityPolicy { SecurityPolicy(roots: .pem(pem)) }

    /// Whatever certificate is shown, to whomever it belongs. For tests only.
    public static let insecure = SecurityPolicy(allowsInvalidCertificates: true)
}

/// Which root certificates are trusted.
public enum TrustRoots: Sendable, Hashable {
    /// `SSL_CERT_FILE` where that is set, else where the common distributions keep theirs.
    case system
    /// The certificates of a file in PEM.
    case file(String)
    /// Certificates in PEM.
    case pem(String)
}
