import SternaCore

/// A session's settings for authentication.
struct AuthenticationSettings: Sendable {
    var policy: AuthenticationPolicy?
    var credential: Credential?
    var store: (any CredentialStore)?
    var netrc: NetrcFile?
    var handler: ServerChallengeHandler?

    /// What the session and those derived from it know about protection spaces.
    var memory: AuthenticationMemory?

    /// The number of the last change of the session's decisions, which cannot be compared.
    var decisions: UInt64 = 0

    /// Whether a setting enables authentication.
    var isEnabled: Bool {
        policy != nil || credential != nil || store != nil || netrc != nil || handler != nil
    }

    /// The settings as far as they can be compared.
    struct Identity: Sendable, Equatable {
        let policy: AuthenticationPolicy?
        let credential: Credential?
        let store: ObjectIdentifier?
        let netrc: NetrcFile?
        let handler: ObjectIdentifier?
    }

    var identity: Identity {
        Identity(
            policy: policy, credential: credential, store: store.map { ObjectIdentifier($0) }, netrc: netrc,
            handler: handler.map { ObjectIdentifier($0) })
    }
}

extension SessionSettings {
    /// How the challenges of servers (401) are answered; see ``AuthenticationPolicy``. ``AuthenticationPolicy/standard`` by default.
    public var authentication: AuthenticationPolicy {
        get { authenticationSettings.policy ?? .standard }
        set { authenticationSettings.policy = newValue }
    }

    /// The credential that answers challenges of the session's own origin: the base URL's, or without a base URL that of the request's
    /// URL. None by default.
    ///
    /// Unlike ``authorization`` it is not sent before a server asks for it. A redirect to another origin leaves it behind for good.
    public var credential: Credential? {
        get { authenticationSettings.credential }
        set { authenticationSettings.credential = newValue }
    }

    /// Where the credentials of protection spaces are kept; none by default.
    ///
    /// It is asked after ``credential``, for the origin of each redirect anew.
    public var credentialStore: (any CredentialStore)? {
        get { authenticationSettings.store }
        set { authenticationSettings.store = newValue }
    }

    /// The `.netrc` that has credentials by host; none by default. It is read when a server first asks for credentials, after
    /// ``credentialStore``.
    ///
    /// A file that cannot be used fails the request with `fileUnreadable`.
    public var netrc: NetrcFile? {
        get { authenticationSettings.netrc }
        set { authenticationSettings.netrc = newValue }
    }

    /// Answers challenges that no other setting has a credential for; none by default. AFNetworking's
    /// `setSessionDidReceiveAuthenticationChallengeBlock`.
    ///
    /// It is called again when the server refuses its answer: look at ``CredentialChallenge/previousFailures``. It may ask people; the
    /// request's deadline goes on meanwhile. A thrown error is ``ChallengeDisposition/fail(_:)``. Tasks ask
    /// ``TaskDecisions/challengeReceived`` first.
    public var challengeHandler: (@Sendable (CredentialChallenge) async throws -> ChallengeDisposition)? {
        get { authenticationSettings.handler?.answer }
        set { authenticationSettings.handler = newValue.map { ServerChallengeHandler($0) } }
    }
}

extension Request {
    /// Whether the caller has given credentials for this request alone: its answer may be one for them alone.
    package var hasOwnCredentials: Bool {
        state.choices.credential.flattened() != nil || state.choices.ownChallengeHandler != nil
    }
}

extension RequestSettings {
    /// How the challenges to this request are answered; the session's policy until it is changed:
    /// `$0.authentication.schemes = [.digest]`, `$0.authentication = .none`.
    public var authentication: AuthenticationPolicy {
        get { state.choices.authentication?.settled ?? session?.settings.authenticationSettings.policy ?? .standard }
        _modify {
            var value = state.choices.authentication ?? session?.settings.authenticationSettings.policy ?? .standard
            if state.choices.authentication == nil { value.record() }
            defer { state.choices.authentication = value }
            yield &value
        }
        set { state.choices.authentication = newValue }
    }

    /// The credential that answers challenges to this request. One that is set here is tried before the session's; with nil the
    /// session's is not used.
    ///
    /// It is for the origin of the request's URL. A redirect to another origin leaves it behind for good.
    public var credential: Credential? {
        get { state.choices.credential ?? session?.settings.authenticationSettings.credential }
        set { state.choices.credential = .some(newValue) }
    }

    /// Answers challenges to this request that no other setting has a credential for. One that is set here is asked before the
    /// session's ``SessionSettings/challengeHandler``; with nil none is asked.
    public var challengeHandler: (@Sendable (CredentialChallenge) async throws -> ChallengeDisposition)? {
        get { (state.choices.challengeHandler ?? session?.settings.authenticationSettings.handler)?.answer }
        set { state.choices.challengeHandler = .some(newValue.map { ServerChallengeHandler($0) }) }
    }
}
