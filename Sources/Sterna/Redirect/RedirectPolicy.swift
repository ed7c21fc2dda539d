import SternaCore

/// Which redirects are followed (RFC 9110, 15.4).
public struct RedirectPolicy: Sendable, Hashable {
    /// Whether redirects are followed at all; where not, the redirect is the response.
    public var follows = true

    /// How many in a row; 20 by default.
    public var limit = 20

    /// Whether one may lead from https to http; no by default.
    public var allowsInsecure = false

    public init() {}

    /// Up to 20, never from https to http.
    public static let follow = RedirectPolicy()

    /// None.
    public static let doNotFollow: RedirectPolicy = {
        var policy = RedirectPolicy()
        policy.follows = false
        return policy
    }()
}

/// Sets the redirect policy of one request.
public enum RedirectPolicyKey: RequestOptionKey {
    public static var defaultValue: RedirectPolicy? { nil }
}
