public import SternaCore

/// A session's settings for the challenges of servers.
struct AuthenticationSettings: Sendable {
    var policy: AuthenticationPolicy?
    var credential: Credential?
    var store: (any CredentialStore)?
    var netrc: NetrcFile?
    var handler: ServerChallengeHandler?

    /// The protection spaces known to the session and to sessions derived from it.
    var memory: AuthenticationMemory?

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
    /// The session's credentials, tokens and signatures, and what tells its users apart.
    public struct Auth: Sendable {
        /// The Authorization field for the session's own origin: the base URL's, or any origin if there is no base URL. None by
        /// default.
        ///
        ///     let api = try Session(baseURL: "https://api.example.com") { $0.auth.header = .bearer(token) }
        public var header: Authorization?

        /// The credential that answers challenges of one origin: the base URL's, or without a base URL the origin of the request's
        /// URL; none by default.
        ///
        /// Unlike ``header``, it is not sent to a protection space before the server has asked for it. After a redirect to another
        /// origin it is no longer used for that request, even if a later redirect leads back.
        public var credential: Credential? {
            get { challenges.credential }
            set { challenges.credential = newValue }
        }

        /// The store of credentials by protection space; none by default.
        ///
        /// It is queried after ``credential``, also for other origins that redirects lead to.
        public var credentialStore: (any CredentialStore)? {
            get { challenges.store }
            set { challenges.store = newValue }
        }

        /// The `.netrc` with credentials by host; none by default. It is read once, when a server asks for credentials that neither
        /// ``credential`` nor ``credentialStore`` has.
        ///
        /// An unusable file fails the request with `fileUnreadable`.
        public var netrc: NetrcFile? {
            get { challenges.netrc }
            set { challenges.netrc = newValue }
        }

        /// Answers challenges for which no other setting has a credential; none by default. The counterpart of AFNetworking's
        /// `setSessionDidReceiveAuthenticationChallengeBlock`.
        ///
        /// It is called again when the server refuses its credential: see ``CredentialChallenge/previousFailures``. It may ask the
        /// user; the request's deadline keeps running meanwhile. A thrown error has the effect of
        /// ``ChallengeDisposition/fail(_:)``. Tasks call ``TaskDecisions/challengeReceived`` first.
        public var challengeHandler: (@Sendable (CredentialChallenge) async throws -> ChallengeDisposition)? {
            get { challenges.handler?.answer }
            set { challenges.handler = newValue.map { ServerChallengeHandler($0) } }
        }

        /// How challenges of servers (401) are answered; ``AuthenticationPolicy/standard`` by default.
        public var policy: AuthenticationPolicy {
            get { challenges.policy ?? .standard }
            set { challenges.policy = newValue }
        }

        /// Adds a token to the session's requests, and refreshes it; none by default. A derived session shares it.
        public var tokens: TokenAuthentication?

        /// Names of secret header fields, such as an API key: they are not sent to another origin, nor kept on a redirect to one.
        /// Authorization, Cookie and Proxy-Authorization are always secret.
        public var secretHeaders: Set<String> = []

        /// The user of the session, in programs that act for several users: stored responses and requests in flight of one label
        /// are never used for another, unless a response is marked `public`. Nil, the default, sets no label.
        ///
        /// Credentials, client certificates and cookie jars keep users apart without it.
        public var identityLabel: String?

        var challenges = AuthenticationSettings()

        /// The signers, which modules above this one set by ``subscript(_:)``.
        var signing = SigningChoices()

        /// Adds what a request may replace.
        func add(to options: inout RequestOptions) {
            if signing.sign { signing.apply(to: &options[edited: SigningKey.self]) }
        }
    }
}

extension Request {
    /// Whether the caller has set credentials for this request only, so that its response may be meant only for them.
    package var hasOwnCredentials: Bool {
        state.choices.credential.flattened() != nil || state.choices.ownChallengeHandler != nil
    }
}

extension RequestSettings {
    /// Credentials, tokens and signatures of one request.
    public struct Auth: SettingsGroup, Sendable {
        var settings: RequestSettings

        /// The Authorization field of this request; the session's by default. Nil sends only the credentials of the URL. A value
        /// that is set here is sent to the request's origin, whichever it is; the session's only to the session's own origin.
        public var header: Authorization? {
            get { settings.ownAuthorization ?? settings.session?.settings.auth.header }
            set { settings.ownAuthorization = .some(newValue) }
        }

        /// The credential that answers challenges to this request; the session's by default. A credential set here is tried before
        /// the session's; nil disables the session's.
        ///
        /// It is valid for the origin of the request's URL. After a redirect to another origin it is no longer used for this
        /// request, even if a later redirect leads back.
        public var credential: Credential? {
            get { settings.state.choices.credential ?? settings.session?.settings.auth.credential }
            set { settings.state.choices.credential = .some(newValue) }
        }

        /// Answers challenges to this request for which no other setting has a credential. A handler set here is called before the
        /// session's ``SessionSettings/Auth/challengeHandler``; nil disables both.
        public var challengeHandler: (@Sendable (CredentialChallenge) async throws -> ChallengeDisposition)? {
            get {
                (settings.state.choices.challengeHandler ?? settings.session?.settings.auth.challenges.handler)?.answer
            }
            set { settings.state.choices.challengeHandler = .some(newValue.map { ServerChallengeHandler($0) }) }
        }

        /// How challenges to this request are answered; the session's policy by default. Properties may be changed one by one:
        /// `$0.auth.policy.schemes = [.digest]`.
        public var policy: AuthenticationPolicy {
            get { settings.state.choices.authentication?.settled ?? sessionPolicy }
            _modify {
                var value = settings.state.choices.authentication ?? sessionPolicy
                if settings.state.choices.authentication == nil { value.record() }
                defer { settings.state.choices.authentication = value }
                yield &value
            }
            set { settings.state.choices.authentication = newValue }
        }

        private var sessionPolicy: AuthenticationPolicy {
            settings.session?.settings.auth.challenges.policy ?? .standard
        }

        /// Whether this request carries the token of ``SessionSettings/Auth/tokens``, and waits for it; true by default. Set it to
        /// false for requests without a token, such as a login.
        public var usesTokens: Bool {
            get { settings.state.choices.usesToken }
            set { settings.state.choices.usesToken = newValue }
        }

        /// Names of this request's secret header fields, which are dropped with the credentials on a redirect to another origin.
        ///
        /// Names are added to the session's: a field that is secret in the session stays so, whatever is assigned here.
        public var secretHeaders: Set<String> {
            get { settings.allSecretHeaders }
            set { settings.ownSecretHeaders = newValue }
        }

        mutating func replace(by other: Self) {
            settings.ownAuthorization = other.settings.ownAuthorization
            settings.ownSecretHeaders = other.settings.ownSecretHeaders
            replaceChoice(\.credential, by: other)
            replaceChoice(\.challengeHandler, by: other)
            replaceChoice(\.authentication, by: other)
            replaceChoice(\.usesToken, by: other)
            replaceSigning(by: other)
        }
    }
}
