package import SternaCore

/// A scheme of authentication that requests can use, from the weakest to the strongest.
public enum AuthenticationScheme: String, Sendable, Hashable, CaseIterable {
    /// Name and password as they are (RFC 7617).
    case basic
    /// A proof of the password (RFC 7616).
    case digest
    /// A token (RFC 6750).
    case bearer
}

/// How the challenges of servers (401) are answered.
///
/// The strongest scheme that the server offers and the credential fits is used: Digest by the strength of its algorithm, then Basic.
/// A credential is sent once to each realm, and never again to one that has refused it.
public struct AuthenticationPolicy: Sendable, Hashable {
    /// The schemes that may be used; all by default.
    public var schemes: Set<AuthenticationScheme> { didSet { edits.insert(Property.schemes) } }

    /// Whether passwords and tokens of a store, of .netrc or of a handler may be sent as they are (Basic, Bearer) over http to other
    /// machines than this one; no by default.
    ///
    /// It does not concern credentials that are set for the session or the request, and none over https.
    public var allowsInsecurePasswords = false { didSet { edits.insert(Property.allowsInsecurePasswords) } }

    /// Whether requests within a known protection space carry credentials without being asked (RFC 7617, 2.2; RFC 7616, 3.6); yes by
    /// default.
    public var isPreemptive = true { didSet { edits.insert(Property.isPreemptive) } }

    /// Whether a request's own ``RequestSettings/credential`` is the session's, once a server has accepted it: other requests to the
    /// same protection space use it, too, unless they or the session have one of their own; no by default. ASIHTTPRequest's
    /// `useSessionPersistence`.
    ///
    /// Set it in the session's policy: only requests that look after authentication use what was remembered. `resetSession` forgets it.
    public var remembersCredential = false { didSet { edits.insert(Property.remembersCredential) } }

    /// Makes a policy.
    ///
    /// - Parameter schemes: the schemes that may be used; all by default. With none, challenges are left to the caller.
    public init(schemes: Set<AuthenticationScheme> = Set(AuthenticationScheme.allCases)) { self.schemes = schemes }

    /// All schemes, by the rules above.
    public static let standard = AuthenticationPolicy()

    /// No schemes: challenges are left to the caller.
    public static let none = AuthenticationPolicy(schemes: [])

    package var edits = Edits()
}

extension AuthenticationPolicy: EditedValue {
    private enum Property: Int {
        case schemes, allowsInsecurePasswords, isPreemptive, remembersCredential
    }

    package func apply(to other: inout AuthenticationPolicy) {
        if edits.contains(Property.schemes) { other.schemes = schemes }
        if edits.contains(Property.allowsInsecurePasswords) { other.allowsInsecurePasswords = allowsInsecurePasswords }
        if edits.contains(Property.isPreemptive) { other.isPreemptive = isPreemptive }
        if edits.contains(Property.remembersCredential) { other.remembersCredential = remembersCredential }
    }
}
