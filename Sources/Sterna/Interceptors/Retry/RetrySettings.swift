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
    /// How this request is retried; the session's policy until it is changed: `$0.retry.limit = 1`, `$0.retry = .none`.
    public var retry: RetryPolicy {
        get { options[RetryPolicyKey.self] }
        _modify { yield &options[edited: RetryPolicyKey.self] }
        set { options[RetryPolicyKey.self] = newValue }
    }

    /// Decide on retries of this request before ``retry`` does. `$0.retriers.append(…)` adds one behind the session's;
    /// `$0.retriers = […]` replaces them.
    public var retriers: [any RequestRetrier] {
        get { state.choices.retryHandlers.retriers.elements(session?.settings.retryHandlers.retriers) }
        _modify {
            var list = state.choices.retryHandlers.retriers.list(session?.settings.retryHandlers.retriers)
            defer { state.choices.retryHandlers.retriers = list.handlers }
            yield &list.elements
        }
        set { state.choices.retryHandlers.retriers = .these(newValue) }
    }

    /// Whether the engine repeats this request as ``SessionSettings/resendsNonIdempotentRequests`` says.
    public var resendsNonIdempotentRequests: Bool {
        get { options[ResendsNonIdempotentKey.self] }
        set { options[ResendsNonIdempotentKey.self] = newValue }
    }

    /// Change this request before each of its attempts. `$0.adapters.append(…)` adds one behind the session's;
    /// `$0.adapters = […]` replaces them.
    public var adapters: [any RequestAdapter] {
        get { state.choices.retryHandlers.adapters.elements(session?.settings.retryHandlers.adapters) }
        _modify {
            var list = state.choices.retryHandlers.adapters.list(session?.settings.retryHandlers.adapters)
            defer { state.choices.retryHandlers.adapters = list.handlers }
            yield &list.elements
        }
        set { state.choices.retryHandlers.adapters = .these(newValue) }
    }
}

extension Request {
    /// Whether the request asks for retries or adapters.
    var asksForRetries: Bool {
        options.read(RetryPolicyKey.self, \.isOff) == false || state.choices.retryHandlers.adds
    }
}
