public import SternaCore
public import SternaPlatform

/// The requirements for trusting a server, and the credentials for it: roots, pins, name checks, an identity, TLS versions. The
/// counterpart of AFNetworking's `AFSecurityPolicy`.
///
///     let policy = SecurityPolicy.pinned([inUse, keptOffline])      // pins such as "sha256/47DEQpj8HBSa+/TImW+5JCe…="
///     let api = try Session(baseURL: "https://api.example.com/") { $0.trust.policy = policy }
///
/// The verdict depends only on the presented certificates, the requested host and the time, unless there are evaluators or a
/// challenge handler. Sessions with different policies never share connections.
public struct SecurityPolicy: Sendable, Hashable {
    /// The trusted root certificates; the system's by default.
    public var roots: TrustRoots

    /// Keys and certificates, one of which the server's chain must contain; none by default.
    ///
    /// Only the validated chain counts, not other certificates that the server sends.
    public var pins: Set<Pin>

    /// The certificates of the chain that must be pinned, if there are pins; any of them by default.
    public var pinningRule = PinningRule.any

    /// Whether an invalid certificate is accepted; false by default. With pins, the server's own key or certificate must then be
    /// pinned, or a pinned certificate must have issued it. Without pins an attacker on the path can read and change everything, so
    /// the combination is refused unless ``validatesDomainName`` is false, too.
    public var allowsInvalidCertificates: Bool

    /// Whether the certificate must be for the host; true by default.
    public var validatesDomainName = true

    /// Custom checks, which run in order after all others.
    public var evaluators: [TrustEvaluator] = []

    /// Answers the challenges of each new connection.
    public var challengeHandler: ChallengeHandler?

    /// The identity for servers that request a certificate (RFC 8446, 4.3.2); none by default. A session with a base URL presents
    /// it to the URL's origin only, like its other credentials; policies of hosts have their own.
    public var identity: ClientIdentity?

    /// An identity that can be replaced while the session exists, used instead of ``identity``; none by default.
    public var rotatingIdentity: RotatingIdentity?

    /// The versions, cipher suites and names of TLS.
    public var tls = TLSOptions()

    /// The time at which certificates must be valid; nil, the default, means the current time.
    public var verificationTime: Date?

    /// Whether the policy was made for pinning, so that without a pin it refuses every server.
    private(set) var mustPin = false

    /// Whether the policy refuses every server, for hosts that need a policy and have none.
    private(set) var refusesAll = false

    /// Whether identities are never presented, not even by the challenge handler.
    private(set) var presentsNoIdentity = false

    /// Removes the identities; the challenge handler is not called for one, either.
    package mutating func removeIdentity() { (identity, rotatingIdentity, presentsNoIdentity) = (nil, nil, true) }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - roots: the trusted root certificates.
    ///   - pins: keys and certificates, one of which the chain must contain; pins do not make an invalid chain valid.
    ///   - allowsInvalidCertificates: whether invalid certificates are accepted; false by default.
    public init(roots: TrustRoots = .system, pins: Set<Pin> = [], allowsInvalidCertificates: Bool = false) {
        self.roots = roots
        self.pins = pins
        self.allowsInvalidCertificates = allowsInvalidCertificates
    }

    /// The system's roots, with every check.
    public static let system = SecurityPolicy()

    /// Returns a policy with every check that requires one of these keys or certificates in the chain; without pins it refuses
    /// every server.
    public static func pinned(_ pins: Set<Pin>, roots: TrustRoots = .system) -> SecurityPolicy {
        var policy = SecurityPolicy(roots: roots, pins: pins)
        policy.mustPin = true
        return policy
    }

    /// Returns a policy with custom roots instead of the system's: a file of certificates in PEM or DER.
    public static func authority(file: some FileReference) -> SecurityPolicy {
        SecurityPolicy(roots: .file(file.pathToRead))
    }

    /// Returns a policy with custom roots instead of the system's: certificates in PEM.
    public static func authority(pem: String) -> SecurityPolicy { SecurityPolicy(roots: .pem(pem)) }

    /// Accepts every certificate for every host. For tests only.
    public static let insecure: SecurityPolicy = {
        var policy = SecurityPolicy(allowsInvalidCertificates: true)
        policy.validatesDomainName = false
        return policy
    }()

    /// Rejects every certificate.
    static let refused: SecurityPolicy = {
        var policy = SecurityPolicy()
        policy.refusesAll = true
        return policy
    }()

    /// Whether the policy has an identity.
    package var hasIdentity: Bool { identity != nil || rotatingIdentity != nil }

    /// The identity presented now.
    package var currentIdentity: ClientIdentity? { rotatingIdentity.map(\.current) ?? identity }

    /// Whether nothing makes exceptions from the checks: no setting, no challenge handler, and no evaluator that may accept a
    /// rejected certificate.
    package var makesNoExceptions: Bool {
        !allowsInvalidCertificates && validatesDomainName && challengeHandler == nil
            && evaluators.allSatisfy(\.onlyRejects)
    }

    /// Whether requests to its hosts need TLS, without which the policy's requirements could not be checked.
    package var needsTLS: Bool { !pins.isEmpty || mustPin || refusesAll }

    /// Whether the policy has closures or a rotating identity, which make it unequal to any policy made separately.
    package var hasClosures: Bool { !evaluators.isEmpty || challengeHandler != nil || rotatingIdentity != nil }

    /// Throws `invalidRequest` for settings that could never work: unreadable or missing pins, pins for a server without TLS, an
    /// invalid server name, an empty list of cipher suites, and a maximum version of TLS below the minimum.
    package func check(scheme: HTTPURL.Scheme?) throws(SternaError) {
        // Checked first, since the set's iterator is a type whose lookup would cost every program start.
        if !pins.isEmpty { for pin in pins { if let error = pin.error { throw error } } }
        if mustPin, pins.isEmpty {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The policy requires pins but has none; give it two, one of them a backup.")
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
                "“\(FieldSyntax.printable(name, limit: 100))” cannot be sent as a server name (SNI): it is not an ASCII host name."
            )
        }
        if tls.cipherSuites?.isEmpty == true {
            throw SternaError(
                .invalidRequest, phase: .prepare, "The list of cipher suites is empty; set nil for the default ones.")
        }
        if let maximum = tls.maximumVersion, maximum < tls.minimumVersion {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "TLS from \(tls.minimumVersion.rawValue) to \(maximum.rawValue) allows no version; raise the maximum or lower the minimum."
            )
        }
    }
}
