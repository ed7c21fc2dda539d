public import SternaCore
public import SternaSerialization

/// The settings of one request.
///
///     try await api.get("report") { $0.retry.limit = 1 }
///
/// In the closure of a session's method they read as the session's. What the closure sets replaces the session's value for this
/// request: `$0.timeouts.total = .seconds(5)` leaves the other time limits as they are, and nil, an empty array or `.none` mean
/// none.
///
/// A ``RequestDraft`` is made before its session is known. Its closure reads the default values, but each property that it sets
/// replaces the sending session's, and no other: `.get("report") { $0.retry.limit = 1 }` changes the limit of whatever policy the
/// session has.
///
/// Settings of one subject are in a group, as in a session: ``auth``, ``cookies``, ``cache``, ``limits``, ``network`` and
/// ``tasks``.
public struct RequestSettings: Sendable {
    // Only settings that were set are stored, so that all others stay the sending session's. A double optional distinguishes a
    // setting that was set to nil from one that was not set.
    package var ownRequestSerializer: (any RequestSerializer)?
    package var ownResponseSerializer: (any ResponseSerializer)?
    var ownTimeouts: Timeouts?
    var ownOptions = RequestOptions()
    var ownAuthorization: Authorization??
    var ownSecretHeaders: Set<String> = []
    var ownContinueThreshold: Int64??

    /// The session, while a closure of one of its methods runs.
    var session: SessionPlan?

    /// The session whose options ``ownOptions`` began with, and therefore replace; nil if they are merged into the session's.
    var optionsOrigin: ObjectIdentifier?

    /// Encodes this request's parameters; the session's by default.
    public var requestSerializer: any RequestSerializer {
        get { ownRequestSerializer ?? session?.settings.requestSerializer ?? HTTPRequestSerializer() }
        set { ownRequestSerializer = newValue }
    }

    /// Accepts or rejects the response to this request, and makes its values; the session's by default. A serializer that the call
    /// names (`as:`, `value(by:)`) replaces it.
    public var responseSerializer: any ResponseSerializer {
        get { ownResponseSerializer ?? session?.settings.responseSerializer ?? JSONResponseSerializer() }
        set { ownResponseSerializer = newValue }
    }

    /// The time limits of this request: `$0.timeouts.total = .seconds(1)`. The session's by default.
    public var timeouts: Timeouts {
        get {
            guard let ownTimeouts else { return session?.settings.timeouts ?? Timeouts() }
            return ownTimeouts.settled
        }
        _modify {
            // Limits that were not set stay open, since the request serializer's time limits take precedence over the session's.
            var value = ownTimeouts ?? session?.settings.timeouts ?? Timeouts()
            if ownTimeouts == nil { value.record() }
            defer { ownTimeouts = value }
            yield &value
        }
        set { ownTimeouts = newValue }
    }

    /// The time limit of each step of this request, from resolving the host to each pause between bytes. Setting it sets those
    /// limits in ``timeouts``; reading it returns ``SternaCore/Timeouts/betweenBytes``. ``SternaCore/Timeouts/total`` limits the
    /// whole request.
    public var timeout: Duration {
        get { timeouts.betweenBytes }
        set { timeouts.setEach(newValue) }
    }

    /// The point by which this request must be complete, redirects and the body included; none by default.
    ///
    ///     try await api.get("users/1") { $0.deadline = .now + .seconds(5) }
    ///
    /// The earlier of the deadline and ``Timeouts/total`` applies. A deadline that has passed fails the request with `timedOut`,
    /// and nothing is sent.
    public var deadline: Deadline?

    /// The request's priority in the queue for a connection to its origin; `normal` by default.
    public var priority = Request.Priority.normal

    /// Options of the program's own policies for this request; the session's until they are changed.
    public var options: RequestOptions {
        get { readsSessionOptions ? session?.requestOptions ?? ownOptions : ownOptions }
        _modify {
            if readsSessionOptions, let session {
                ownOptions = session.requestOptions
                optionsOrigin = ObjectIdentifier(session)
            }
            yield &ownOptions
        }
    }

    private var readsSessionOptions: Bool { session != nil && optionsOrigin == nil && ownOptions.isEmpty }

    /// The names of secret header fields, the session's included.
    var allSecretHeaders: Set<String> {
        session.map { ownSecretHeaders.union($0.settings.auth.secretHeaders) } ?? ownSecretHeaders
    }

    /// Called with upload progress while the body is sent; none by default. It runs on an event loop, so it must return at once.
    public var uploadProgress: (@Sendable (TransferProgress) -> Void)?

    /// Called with download progress, in decoded bytes, by the Swift task that collects the body; none by default.
    ///
    /// ``Session/withResponse(to:isolation:_:)`` does not collect the body; with this setting it fails with `invalidRequest`.
    public var downloadProgress: (@Sendable (TransferProgress) -> Void)?

    // Settings that only requests have, and that most requests leave unset; see `CallState`.
    package var carried: (any AnyObject & Sendable)?

    /// The name of the file that the response's body is saved to; nil, the default, for a body that is not saved.
    package var savedName: SavedFileName? {
        get { state.choices.savedName }
        set { state.choices.savedName = newValue }
    }

    public init() {}

    /// Runs a request's closure; settings that were not set read as the session's.
    mutating func change(in session: SessionPlan, _ configure: (inout RequestSettings) -> Void) {
        self.session = session
        configure(&self)
        self.session = nil
    }
}

extension RequestSettings {
    /// Called with interim responses, such as 103 with its Link fields (RFC 8297); none by default. It runs on an event loop, so it
    /// must return at once.
    public var onInformational: (@Sendable (InformationalResponse) -> Void)? {
        get { options[InformationalResponseKey.self] }
        set { options[InformationalResponseKey.self] = newValue }
    }
}
