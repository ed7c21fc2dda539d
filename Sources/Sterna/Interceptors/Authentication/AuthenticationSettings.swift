import SternaCore

/// A session's settings for authentication.
struct AuthenticationSettings: Sendable {
    var policy: AuthenticationPolicy?
    var credential: Credential?
    var store: (any CredentialStore)?
    var netrc: NetrcFile?
    var handler: ServerChallengeHandler?

    /// The protection spaces known to the session and to sessions derived from it.
    var memory: AuthenticationMemory?

    /// Changes with each assignment of the session's `decisions`, whose closures cannot be compared.
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
    /// How challenges of servers (401) are answered; ``AuthenticationPolicy/standard`` by default.
    public var authentication: AuthenticationPolicy {
        get { authenticationSettings.policy ?? .standard }
        set { authenticationSettings.policy = newValue }
    }

    /// The credential that answers challenges of one origin: the base URL's, or without a base URL the origin of the request's URL;
    /// none by default.
    ///
    /// Unlike ``authorization``, it is not sent to a protection space before the server has asked for it. After a redirect to
    /// another origin it is no longer used for that request, even if a later redirect leads back.
    public var credential: Credential? {
        get { authenticationSettings.credential }
        set { authenticationSettings.credential = newValue }
    }

    /// The store of credentials by protection space; none by default.
    ///
    /// It is queried after ``credential``, also for other origins that redirects lead to.
    public var credentialStore: (any CredentialStore)? {
        get { authenticationSettings.store }
        set { authenticationSettings.store = newValue }
    }

    /// The `.netrc` with credentials by host; none by default. It is read once, when a server asks for credentials that neither
    /// ``credential`` nor ``credentialStore`` has.
    ///
    /// An unusable file fails the request with `fileUnreadable`.
    public var netrc: NetrcFile? {
        get { authenticationSettings.netrc }
        set { authenticationSettings.netrc = newValue }
    }

    /// Answers challenges for which no other setting has a credential; none by default. The counterpart of AFNetworking's
    /// `setSessionDidReceiveAuthenticationChallengeBlock`.
    ///
    /// It is called again when the server refuses its credential: see ``CredentialChallenge/previousFailures``. It may ask the
    /// user; the request's deadline keeps running meanwhile. A thrown error has the effect of ``ChallengeDisposition/fail(_:)``.
    /// Tasks call ``TaskDecisions/challengeReceived`` first.
    public var challengeHandler: (@Sendable (CredentialChallenge) async throws -> ChallengeDisposition)? {
        get { authenticationSettings.handler?.answer }
        set { authenticationSettings.handler = newValue.map { ServerChallengeHandler($0) } }
    }
}

extension Request {
    /// Whether the caller has set credentials for this request only, so that its response may be meant only for them.
    package var hasOwnCredentials: Bool {
        state.choices.credential.flattened() != nil || state.choices.ownChallengeHandler != nil
    }
}

extension RequestSettings {
    /// How challenges to this request are answered; the session's policy by default. Properties may be changed one by one:
    /// `$0.authentication.schemes = [.digest]`.
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

    /// The credential that answers challenges to this request; the session's by default. A credential set here is tried before the
    /// session's; nil disables the session's.
    ///
    /// It is valid for the origin of the request's URL. After a redirect to another origin it is no longer used for this request,
    /// even if a later redirect leads back.
    public var credential: Credential? {
        get { state.choices.credential ?? session?.settings.authenticationSettings.credential }
        set { state.choices.credential = .some(newValue) }
    }

    /// Answers challenges to this request for which no other setting has a credential. A handler set here is called before the
    /// session's ``SessionSettings/challengeHandler``; nil disables both.
    public var challengeHandler: (@Sendable (CredentialChallenge) async throws -> ChallengeDisposition)? {
        get { (state.choices.challengeHandler ?? session?.settings.authenticationSettings.handler)?.answer }
        set { state.choices.challengeHandler = .some(newValue.map { ServerChallengeHandler($0) }) }
    }
}
