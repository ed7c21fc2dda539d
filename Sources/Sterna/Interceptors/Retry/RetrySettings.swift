import SternaCore

/// The option that holds a request's retry policy.
enum RetryPolicyKey: RequestOptionKey {
    static var defaultValue: RetryPolicy { .standard }
    static var name: String? { "retry" }
}

/// The option that holds a session's adapters and retriers.
enum RetryHandlersKey: RequestOptionKey {
    static var defaultValue: RetryHandlers { RetryHandlers() }
}

/// The option that holds a request's own adapters and retriers, which act after the session's.
enum OwnRetryHandlersKey: RequestOptionKey {
    static var defaultValue: RetryHandlers { RetryHandlers() }
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
        get { options[RetryHandlersKey.self].retriers }
        set { options[RetryHandlersKey.self].retriers = newValue }
    }

    /// Change each request before each of its attempts; none by default.
    public var adapters: [any RequestAdapter] {
        get { options[RetryHandlersKey.self].adapters }
        set { options[RetryHandlersKey.self].adapters = newValue }
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
        !(options[ifSet: RetryPolicyKey.self]?.isOff ?? false) || !options[RetryHandlersKey.self].isEmpty
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
        get { options[OwnRetryHandlersKey.self].retriers }
        set { options[OwnRetryHandlersKey.self].retriers = newValue }
    }

    /// Whether the engine repeats this request as ``SessionSettings/resendsNonIdempotentRequests`` says; nil, the default, keeps the
    /// session's setting.
    public var resendsNonIdempotentRequests: Bool? {
        get { options[ifSet: ResendsNonIdempotentKey.self] }
        set { options[ifSet: ResendsNonIdempotentKey.self] = newValue }
    }

    /// Change this request before each of its attempts, after the session's ``SessionSettings/adapters``; none by default.
    public var adapters: [any RequestAdapter] {
        get { options[OwnRetryHandlersKey.self].adapters }
        set { options[OwnRetryHandlersKey.self].adapters = newValue }
    }
}

extension Request {
    /// Whether the options of the request ask for retries or adapters.
    var asksForRetries: Bool {
        guard !options.isEmpty else { return false }
        if let policy = options[ifSet: RetryPolicyKey.self], !policy.isOff { return true }
        return !options[OwnRetryHandlersKey.self].isEmpty
    }
}
