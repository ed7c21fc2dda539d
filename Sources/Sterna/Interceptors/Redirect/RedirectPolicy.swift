import SternaCore

/// Which redirects are followed (RFC 9110, 15.4): statuses 301, 302, 303, 307 and 308 with a Location field.
///
/// Location fields that differ are an error. Credentials in a Location URL are sent to its origin by Basic authentication, as those of
/// a request's own URL are, unless the request still carries an Authorization field, which it does within one origin; they appear in
/// no URL that is shown. Credentials that are not UTF-8, or whose user name has a colon, are refused.
public struct RedirectPolicy: Sendable, Hashable {
    /// Whether redirects are followed at all; where not, the redirect is the response, and no error for its status.
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

/// Where requests keep their redirect policy.
package enum RedirectPolicyKey: RequestOptionKey {
    package static var defaultValue: RedirectPolicy { .follow }
    package static var name: String? { "redirects" }
}

extension SessionSettings {
    /// Which redirects are followed: up to 20, and never from https to http, by default.
    public var redirects: RedirectPolicy {
        get { options[RedirectPolicyKey.self] }
        set { options[RedirectPolicyKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Which redirects of this request are followed; nil, the default, keeps the session's.
    public var redirects: RedirectPolicy? {
        get { options[ifSet: RedirectPolicyKey.self] }
        set { options[ifSet: RedirectPolicyKey.self] = newValue }
    }
}
