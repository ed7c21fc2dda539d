public import SternaCore
public import SternaSerialization

/// The settings of one request that differ from its session's.
public struct RequestSettings: Sendable {
    /// Encodes this request's parameters.
    public var requestSerializer: (any RequestSerializer)?

    /// Accepts or rejects the response to this request, and makes its values; nil, the default, keeps the session's. A serializer that the
    /// call names (`as:`, `value(by:)`) replaces it.
    public var responseSerializer: (any ResponseSerializer)?

    /// Time limits of this request; unset ones keep the session's: `$0.timeouts.total = .seconds(1)`.
    public var timeouts = TimeoutOverrides()

    /// The time limit of each step of this request, from resolving the host to each pause between bytes; nil, the default, keeps
    /// the session's. Setting it sets those limits in ``timeouts``; reading it returns ``TimeoutOverrides/betweenBytes``.
    /// ``TimeoutOverrides/total`` limits the whole request.
    public var timeout: Duration? {
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

    /// The request's priority in the queue for a connection to its origin.
    public var priority = Request.Priority.normal

    /// Policy options for this request; they replace the session's.
    public var options = RequestOptions()

    /// Credentials for this request alone, whatever its origin; nil, the default, keeps the session's.
    public var authorization: Authorization?

    /// Names of this request's secret header fields, which are dropped with the credentials on a redirect to another origin.
    public var secretHeaders: Set<String> = []

    /// The body size in bytes above which this request waits for `100 (Continue)` before it sends the body; `.max` never waits.
    public var continueThreshold: Int64?

    /// Called with upload progress, as the network takes the body; runs on an event loop, so it must return at once.
    public var uploadProgress: (@Sendable (TransferProgress) -> Void)?

    /// Called with download progress, in decoded bytes, by the task that collects the body.
    public var downloadProgress: (@Sendable (TransferProgress) -> Void)?

    // What is set for this request alone and most requests do without; see `CallState`.
    package var carried: (any AnyObject & Sendable)?

    /// The name of the file that the response's body is saved to; nil, the default, for a body that is not saved.
    package var savedName: SavedFileName? {
        get { state.choices.savedName }
        set { state.choices.savedName = newValue }
    }

    public init() {}
}

extension RequestSettings {
    /// Called with interim responses, such as 103 with its Link fields (RFC 8297); runs on an event loop, so it must return at
    /// once.
    public var onInformational: (@Sendable (InformationalResponse) -> Void)? {
        get { options[InformationalResponseKey.self] }
        set { options[InformationalResponseKey.self] = newValue }
    }
}
