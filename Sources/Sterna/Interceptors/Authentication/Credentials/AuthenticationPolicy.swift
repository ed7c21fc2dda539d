package import SternaCore

/// An authentication scheme that requests can use.
public enum AuthenticationScheme: String, Sendable, Hashable, CaseIterable {
    /// Basic: sends the name and the password unprotected (RFC 7617).
    case basic
    /// Digest: sends a hash that proves knowledge of the password (RFC 7616).
    case digest
    /// Bearer: sends a token unprotected (RFC 6750).
    case bearer
}

/// How challenges of servers (401) are answered.
///
/// For a name and a password, the strongest scheme that the server offers is used: Digest by the strength of its algorithm, then
/// Basic; for a token, Bearer. A credential that a realm has refused is not sent to it again for the same request, and not for five
/// minutes if it comes from the session, its store or its `.netrc`, or was remembered.
public struct AuthenticationPolicy: Sendable, Hashable {
    /// The schemes that may be used; all by default.
    public var schemes: Set<AuthenticationScheme> { didSet { edits.insert(Property.schemes) } }

    /// Whether passwords and tokens of a store, of a `.netrc` or of a handler may be sent unprotected (Basic, Bearer) over http to
    /// other machines; false by default.
    ///
    /// It does not apply to credentials that are set for the session or the request, nor to https.
    public var allowsInsecurePasswords = false { didSet { edits.insert(Property.allowsInsecurePasswords) } }

    /// Whether requests within a known protection space carry credentials without a challenge (RFC 7617, 2.2; RFC 7616, 3.6); true
    /// by default.
    public var isPreemptive = true { didSet { edits.insert(Property.isPreemptive) } }

    /// Whether the session remembers a request's own ``RequestSettings/Auth/credential`` once a server has accepted it; false by
    /// default. Other requests to the same protection space then use it, unless they or the session have a credential of their own.
    /// The counterpart of ASIHTTPRequest's `useSessionPersistence`.
    ///
    /// Set it in the session's policy, so that all its requests are authenticated. `resetSession` removes remembered credentials.
    public var remembersCredential = false { didSet { edits.insert(Property.remembersCredential) } }

    /// Whether a user without a password in a URL only chooses among the entries of a `.netrc`; false by default, which sends an
    /// empty password.
    package var withholdsEmptyPasswords = false { didSet { edits.insert(Property.withholdsEmptyPasswords) } }

    /// Makes a policy.
    ///
    /// - Parameter schemes: the schemes that may be used; all by default. With none, the caller receives each 401.
    public init(schemes: Set<AuthenticationScheme> = Set(AuthenticationScheme.allCases)) { self.schemes = schemes }

    /// All schemes, by the rules above.
    public static let standard = AuthenticationPolicy()

    /// No schemes: the caller receives each 401.
    public static let none = AuthenticationPolicy(schemes: [])

    package var edits = Edits()
}

extension AuthenticationPolicy: EditedValue {
    private enum Property: Int {
        case schemes, allowsInsecurePasswords, isPreemptive, remembersCredential, withholdsEmptyPasswords
    }

    package func apply(to other: inout AuthenticationPolicy) {
        if edits.contains(Property.schemes) { other.schemes = schemes }
        if edits.contains(Property.allowsInsecurePasswords) { other.allowsInsecurePasswords = allowsInsecurePasswords }
        if edits.contains(Property.isPreemptive) { other.isPreemptive = isPreemptive }
        if edits.contains(Property.remembersCredential) { other.remembersCredential = remembersCredential }
        if edits.contains(Property.withholdsEmptyPasswords) { other.withholdsEmptyPasswords = withholdsEmptyPasswords }
    }
}
