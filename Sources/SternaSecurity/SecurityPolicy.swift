package import SternaCore
public import SternaPlatform

/// What a server must show before it is trusted, and what it is shown: roots, pins, the rules of names, an identity, the versions
/// of TLS. AFNetworking's `AFSecurityPolicy`.
///
///     let policy = SecurityPolicy.pinned([inUse, keptOffline])      // pins such as "sha256/47DEQpj8HBSa+/TImW+5JCe…="
///     let api = try Session(baseURL: "https://api.example.com/") { $0.securityPolicy = policy }
///
/// Its verdict is a function of the certificates presented, the host asked for and the time; it looks at nothing else, but where
/// there are evaluators or a challenge handler. Connections of sessions with different policies are never shared.
public struct SecurityPolicy: Sendable, Hashable {
    /// Which root certificates are trusted; the system's by default.
    public var roots: TrustRoots

    /// Keys and certificates of which the server's chain must hold one; none by default.
    ///
    /// Only the chain that was found valid counts, not what a server sends along with it.
    public var pins: Set<Pin>

    /// Which certificates of the chain must be pinned, where there are pins; any of them by default.
    public var pinningRule = PinningRule.any

    /// Whether a certificate that fails is accepted all the same. With pins, the server's own key or certificate must then be
    /// pinned, or a pinned certificate must have issued it. Without pins whoever stands between can read and change everything,
    /// and it is refused unless ``validatesDomainName`` is off too.
    public var allowsInvalidCertificates: Bool

    /// Whether the certificate must be for the host; yes by default.
    public var validatesDomainName = true

    /// Checks of one's own, made behind all others in order.
    public var evaluators: [TrustEvaluator] = []

    /// Asked for each new connection.
    public var challengeHandler: ChallengeHandler?

    /// What is shown to servers that ask for a certificate (RFC 8446, 4.3.2); nothing by default. A session with a base URL shows
    /// it there alone, as its other credentials; policies of hosts have their own.
    public var identity: ClientIdentity?

    /// An identity that can be replaced while the session lives; it is shown in place of ``identity``.
    public var rotatingIdentity: RotatingIdentity?

    /// Versions, cipher suites and names.
    public var tls = TLSOptions()

    /// The moment at which validity is judged; nil, the default, for now.
    public var verificationTime: Date?

    /// Whether it was made to pin: without a pin it then trusts nobody.
    private(set) var mustPin = false

    /// Refuses every server, for hosts that need a policy and have none.
    private(set) var refusesAll = false

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - roots: which root certificates are trusted.
    ///   - pins: what the chain must hold; pins alone make nothing valid.
    ///   - allowsInvalidCertificates: whether failures are overlooked.
    public init(roots: TrustRoots = .system, pins: Set<Pin> = [], allowsInvalidCertificates: Bool = false) {
        self.roots = roots
        self.pins = pins
        self.allowsInvalidCertificates = allowsInvalidCertificates
    }

    /// The roots that the system trusts, every check made.
    public static let system = SecurityPolicy()

    /// Every check made, and one of these keys or certificates in the chain; without any, nobody is trusted.
    public static func pinned(_ pins: Set<Pin>, roots: TrustRoots = .system) -> SecurityPolicy {
        var policy = SecurityPolicy(roots: roots, pins: pins)
        policy.mustPin = true
        return policy
    }

    /// Roots of one's own instead of the system's: a file of certificates in PEM or DER.
    public static func authority(file: String) -> SecurityPolicy { SecurityPolicy(roots: .file(file)) }

    /// Roots of one's own instead of the system's: certificates in PEM.
    public static func authority(pem: String) -> SecurityPolicy { SecurityPolicy(roots: .pem(pem)) }

    /// Whatever certificate is shown, to whomever it belongs. For tests only.
    public static let insecure: SecurityPolicy = {
        var policy = SecurityPolicy(allowsInvalidCertificates: true)
        policy.validatesDomainName = false
        return policy
    }()

    /// Nobody.
    static let refused: SecurityPolicy = {
        var policy = SecurityPolicy()
        policy.refusesAll = true
        return policy
    }()

    /// Whether there is something to show.
    package var hasIdentity: Bool { identity != nil || rotatingIdentity != nil }

    /// The identity that is shown now.
    package var currentIdentity: ClientIdentity? { rotatingIdentity.map(\.current) ?? identity }

    /// Whether nothing may be sent to its hosts without TLS, since what it demands could not be looked at.
    package var needsTLS: Bool { !pins.isEmpty || mustPin || refusesAll }

    /// Whether policies like this one are made anew with each session that has one, as no two of their closures are equal.
    package var hasClosures: Bool { !evaluators.isEmpty || challengeHandler != nil || rotatingIdentity != nil }

    /// Throws `invalidRequest` for what could never work: pins that cannot be read, and pins for a server without TLS, since
    /// nothing would be checked.
    package func check(scheme: HTTPURL.Scheme?) throws(SternaError) {
        // Asked for first, since an iterator of the set is a type that is looked up at the start of every program.
        if !pins.isEmpty { for pin in pins { if let error = pin.error { throw error } } }
        if mustPin, pins.isEmpty {
            throw SternaError(
                .invalidRequest, phase: .prepare, "The policy pins, but has no pin; give it two, one of them a backup.")
        }
        if let scheme, !scheme.isSecure, needsTLS {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "Certificates are pinned, but the base URL is not https: nothing would be checked. Use https, or no pins."
            )
        }
        if let name = tls.serverName, !ServerIdentity.isName(name) {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "“\(FieldSyntax.printable(name, limit: 100))” cannot be told to a server: it is no host name in ASCII.")
        }
        if tls.cipherSuites?.isEmpty == true {
            throw SternaError(
                .invalidRequest, phase: .prepare, "No cipher suite is allowed; leave nil for the usual ones.")
        }
        if let maximum = tls.maximumVersion, maximum < tls.minimumVersion {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "TLS from \(tls.minimumVersion.rawValue) to \(maximum.rawValue) is no version at all.")
        }
    }
}
