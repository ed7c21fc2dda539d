public import SternaCore

/// The option with a request's cache policy.
enum CachePolicyKey: RequestOptionKey {
    static var defaultValue: CachePolicy { .protocolRules }
    static var name: String? { "cachePolicy" }
}

extension SessionSettings {
    /// How requests use ``cache``; ``CachePolicy/protocolRules`` (RFC 9111) by default.
    public var cachePolicy: CachePolicy {
        get { options[CachePolicyKey.self] }
        set { options[CachePolicyKey.self] = newValue }
    }
}

extension RequestSettings {
    /// How this request uses the session's cache; the session's policy until it is changed: `$0.cachePolicy = .reload`,
    /// `$0.cachePolicy.fallsBackToStored = true`. `.none` passes the cache by.
    ///
    /// A policy that needs stored responses (``CachePolicy/cachedOnly``, ``CachePolicy/fallsBackToStored``) fails the request with
    /// `invalidRequest` in a session without a cache.
    public var cachePolicy: CachePolicy {
        get { options[CachePolicyKey.self] }
        _modify { yield &options[edited: CachePolicyKey.self] }
        set { options[CachePolicyKey.self] = newValue }
    }
}

extension Request {
    /// How this request uses the session's cache; nil, the default, keeps the session's policy.
    public var cachePolicy: CachePolicy? {
        get { options[ifSet: CachePolicyKey.self] }
        set { options[ifSet: CachePolicyKey.self] = newValue }
    }
}
