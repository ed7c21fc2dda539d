import SternaCore

/// The option that holds a request's retry policy.
enum RetryPolicyKey: RequestOptionKey {
    static var defaultValue: RetryPolicy { .standard }
    static var name: String? { "retry" }
}

extension SessionSettings {
    /// Which requests are sent again after a failure; by default idempotent ones, up to twice, after connection failures and after a
    /// 429 or 503 that asks for a short wait. ``RetryPolicy/none`` retries nothing.
    public var retry: RetryPolicy {
        get { options[RetryPolicyKey.self] }
        set { options[RetryPolicyKey.self] = newValue }
    }

    /// Decide on retries before ``retry`` does; none by default.
    public var retriers: [any RequestRetrier] {
        get { retryHandlers.retriers }
        set { retryHandlers.retriers = newValue }
    }

    /// Change each request before each of its attempts; none by default.
    public var adapters: [any RequestAdapter] {
        get { retryHandlers.adapters }
        set { retryHandlers.adapters = newValue }
    }

    /// Whether the engine sends a POST or PATCH that follows a redirect, a challenge or a retry once more, on a fresh connection, if
    /// the server closes the kept one within 100 ms of its previous response and without a byte of another; yes by default.
    ///
    /// Servers that close a connection behind such a response mostly have not seen the request. One that has may process it twice.
    public var resendsNonIdempotentRequests: Bool {
        get { options[ResendsNonIdempotentKey.self] }
        set { options[ResendsNonIdempotentKey.self] = newValue }
    }

    /// Whether requests of the session may be retried or adapted.
    var retries: Bool {
        // The default policy is not made for this.
        !(options[ifSet: RetryPolicyKey.self]?.isOff ?? false) || !retryHandlers.isEmpty
    }
}

extension RequestSettings {
    /// How this request is retried; nil, the default, keeps the session's policy. `RetryPolicy.none` retries nothing; `.none` alone
    /// would be nil. Assigning `retry?.limit` changes nothing while it is nil; derive a session to change a part of its policy.
    public var retry: RetryPolicy? {
        get { options[ifSet: RetryPolicyKey.self] }
        set { options[ifSet: RetryPolicyKey.self] = newValue }
    }

    /// Decide on retries of this request, after the session's ``SessionSettings/retriers``; none by default.
    public var retriers: [any RequestRetrier] {
        get { state.choices.retryHandlers.retriers }
        set { state.choices.retryHandlers.retriers = newValue }
    }

    /// Whether the engine repeats this request as ``SessionSettings/resendsNonIdempotentRequests`` says; nil, the default, keeps the
    /// session's setting.
    public var resendsNonIdempotentRequests: Bool? {
        get { options[ifSet: ResendsNonIdempotentKey.self] }
        set { options[ifSet: ResendsNonIdempotentKey.self] = newValue }
    }

    /// Change this request before each of its attempts, after the session's ``SessionSettings/adapters``; none by default.
    public var adapters: [any RequestAdapter] {
        get { state.choices.retryHandlers.adapters }
        set { state.choices.retryHandlers.adapters = newValue }
    }
}

extension Request {
    /// Whether the request asks for retries or adapters.
    var asksForRetries: Bool {
        if let policy = options[ifSet: RetryPolicyKey.self], !policy.isOff { return true }
        return !state.choices.retryHandlers.isEmpty
    }
}
