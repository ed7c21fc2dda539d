import SternaCore

/// The option that holds a request's retry policy.
enum RetryPolicyKey: RequestOptionKey {
    static var defaultValue: RetryPolicy { .standard }
    static var name: String? { "retry" }
}

extension SessionSettings {
    /// Which requests are retried after a failure; ``RetryPolicy/standard`` by default: idempotent ones, up to twice, after
    /// connection failures and after a 429 or 503 with a Retry-After of at most 30 s.
    public var retry: RetryPolicy {
        get { options[RetryPolicyKey.self] }
        set { options[RetryPolicyKey.self] = newValue }
    }

    /// The retriers, which decide on retries before ``retry`` does; none by default.
    public var retriers: [any RequestRetrier] {
        get { retryHandlers.retriers }
        set { retryHandlers.retriers = newValue }
    }

    /// The adapters, which change each request before each of its attempts; none by default.
    public var adapters: [any RequestAdapter] {
        get { retryHandlers.adapters }
        set { retryHandlers.adapters = newValue }
    }

    /// Whether requests of the session may be retried or adapted.
    var retries: Bool {
        // Without a policy in the options the default applies, which retries; it is not made just for this check.
        !(options[ifSet: RetryPolicyKey.self]?.isOff ?? false) || !retryHandlers.isEmpty
    }
}

extension RequestSettings {
    /// How this request is retried; the session's policy by default. Properties may be changed one by one: `$0.retry.limit = 1`.
    public var retry: RetryPolicy {
        get { options[RetryPolicyKey.self] }
        _modify { yield &options[edited: RetryPolicyKey.self] }
        set { options[RetryPolicyKey.self] = newValue }
    }

    /// The retriers, which decide on retries of this request before ``retry`` does; the session's by default.
    /// `$0.retriers.append(…)` adds one after the session's; `$0.retriers = […]` replaces them.
    public var retriers: [any RequestRetrier] {
        get { state.choices.retryHandlers.retriers.elements(session?.settings.retryHandlers.retriers) }
        _modify {
            var list = state.choices.retryHandlers.retriers.list(session?.settings.retryHandlers.retriers)
            defer { state.choices.retryHandlers.retriers = list.handlers }
            yield &list.elements
        }
        set { state.choices.retryHandlers.retriers = .these(newValue) }
    }

    /// The adapters, which change this request before each of its attempts; the session's by default. `$0.adapters.append(…)` adds
    /// one after the session's; `$0.adapters = […]` replaces them.
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
    /// Whether the request has retries or adapters of its own.
    var asksForRetries: Bool {
        options.read(RetryPolicyKey.self, \.isOff) == false || state.choices.retryHandlers.adds
    }
}
