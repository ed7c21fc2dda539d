public import SternaCore

/// The option with a request's cache policy.
enum CachePolicyKey: RequestOptionKey {
    static var defaultValue: CachePolicy { .protocolRules }
    static var name: String? { "cache.policy" }
}

extension SessionSettings {
    /// The stored responses, and how requests use them.
    public struct Cache: Sendable {
        /// The stored responses that answer requests (RFC 9111); none by default. Several sessions may share a cache.
        ///
        ///     let api = try Session(baseURL: "https://api.example.com") { $0.cache.store = .folder(caches) }
        public var store: ResponseCache?

        /// How requests use the ``store``; ``CachePolicy/protocolRules`` (RFC 9111) by default.
        public var policy = CachePolicy.protocolRules

        /// Whether requests are answered only from the ``store``, with responses of any age, and the network is never used; false
        /// by default.
        ///
        /// A request without a usable stored response receives a 504 and is not sent. So does a request with a body, or with a
        /// method other than GET and HEAD.
        public var isOffline = false

        /// Decides whether a response is stored, after HTTP's rules have allowed it; nil, the default, stores every response that
        /// they allow.
        ///
        /// It is called with the head of the response before the body arrives, and must return at once.
        public var willStore: (@Sendable (_ response: Response, _ request: Request) -> Bool)?

        /// Adds what a request may replace.
        func add(to options: inout RequestOptions) {
            if policy != .protocolRules { options[CachePolicyKey.self] = policy }
        }
    }
}

extension RequestSettings {
    /// How one request uses the session's cache.
    public struct Cache: SettingsGroup, Sendable {
        var settings: RequestSettings

        /// How this request uses the session's cache; the session's policy by default: `$0.cache.policy = .reload`,
        /// `$0.cache.policy.fallsBackToStored = true`. `.none` bypasses the cache.
        ///
        /// A policy that needs stored responses (``CachePolicy/cachedOnly``, ``CachePolicy/fallsBackToStored``) fails the request
        /// with `invalidRequest` in a session without a cache.
        public var policy: CachePolicy {
            get { settings.options[CachePolicyKey.self] }
            _modify { yield &settings.options[edited: CachePolicyKey.self] }
            set { settings.options[CachePolicyKey.self] = newValue }
        }

        mutating func replace(by other: Self) { replaceOption(CachePolicyKey.self, by: other) }
    }
}

extension Request {
    /// How this request uses the session's cache; nil, the default, keeps the session's policy.
    public var cachePolicy: CachePolicy? {
        get { options[ifSet: CachePolicyKey.self] }
        set { options[ifSet: CachePolicyKey.self] = newValue }
    }
}
