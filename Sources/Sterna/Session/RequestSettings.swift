public import SternaCore
public import SternaSerialization

/// What differs from the session for one request.
public struct RequestSettings: Sendable {
    /// How parameters go into this request.
    public var requestSerializer: (any RequestSerializer)?

    /// What is taken as an answer to this request.
    public var responseSerializer: (any ResponseSerializer)?

    /// Time limits of this request; those that are not set stay the session's: `$0.timeouts.total = .seconds(1)`.
    public var timeouts = TimeoutOverrides()

    /// The time limit of each step of this request, from finding the address to each pause between bytes; nil, the default, keeps
    /// the session's. Setting it sets those limits in ``timeouts``, and reading it gives ``TimeoutOverrides/betweenBytes``. For
    /// the whole request there is ``TimeoutOverrides/total``.
    public var timeout: Duration? {
        get { timeouts.betweenBytes }
        set { timeouts.setEach(newValue) }
    }

    /// The point by which this request must be complete, redirects and the body included; none by default.
    ///
    ///     try await api.get("users/1") { $0.deadline = .now + .seconds(5) }
    ///
    /// The earlier of it and ``Timeouts/total`` holds. A deadline that has passed fails the request with `timedOut`, and nothing is
    /// sent.
    public var deadline: Deadline?

    /// Who goes first where requests wait for a connection to the same origin.
    public var priority = Request.Priority.normal

    /// Options of policies for this request; they replace the session's.
    public var options = RequestOptions()

    /// Credentials for this request alone, wherever it goes.
    public var authorization: Authorization?

    /// Names of this request's header fields that are secrets: they are dropped with the credentials on a redirect to
    /// another origin.
    public var secretHeaders: Set<String> = []

    /// Above how many bytes this request's body waits for the server to say that it wants it; `.max` for never.
    public var continueThreshold: Int64?

    /// Told how much of the body the network has taken; called on an event loop, so it must return at once.
    public var uploadProgress: (@Sendable (TransferProgress) -> Void)?

    /// Told how much of the response's body has come, decoded; called by the task that collects it.
    public var downloadProgress: (@Sendable (TransferProgress) -> Void)?

    public init() {}
}

extension RequestSettings {
    /// Called with interim responses, such as 103 with its Link fields (RFC 8297), on an event loop, so it must return at once.
    public var onInformational: (@Sendable (InformationalResponse) -> Void)? {
        get { options[InformationalResponseKey.self] }
        set { options[InformationalResponseKey.self] = newValue }
    }
}
