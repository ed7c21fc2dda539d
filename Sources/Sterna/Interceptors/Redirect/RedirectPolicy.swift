package import SternaCore

/// Which redirects are followed (RFC 9110, 15.4): statuses 301, 302, 303, 307 and 308 with a Location field.
///
/// Conflicting Location fields are an error, as is an empty host (`http:///path`; RFC 9110, 4.2.1). Credentials in a Location URL are
/// sent to its origin by Basic authentication, in place of those of the URL before it. Credentials that the call has of its own, as it
/// does within one origin, take precedence.
///
/// Credentials appear in no URL that is shown. Those that are not UTF-8, or whose user name has a colon, are refused.
public struct RedirectPolicy: Sendable, Hashable {
    /// Whether redirects are followed; if not, a redirect is the response, and its status is not an error.
    public var follows = true { didSet { edits.insert(Property.follows) } }

    /// The maximum number of consecutive redirects; 20 by default. Nothing else ends a chain: a URL may redirect to itself, as
    /// servers do that set a cookie first.
    public var limit = 20 { didSet { edits.insert(Property.limit) } }

    /// Whether a redirect may lead from https to http; no by default.
    public var allowsInsecure = false { didSet { edits.insert(Property.allowsInsecure) } }

    /// What becomes of the method and the body; as in browsers by default.
    public var methods = RedirectMethods.fetch { didSet { edits.insert(Property.methods) } }

    /// Whether Authorization, Cookie and secret header fields go along to another scheme, host or port, as with curl's
    /// `--location-trusted`; no by default.
    ///
    /// User information of a URL never does: it is for the origin of that URL. Without this setting the others are dropped there, too. What
    /// was dropped does not come back, even if a redirect returns to the first origin.
    public var keepsCredentialsAcrossOrigins = false { didSet { edits.insert(Property.keepsCredentialsAcrossOrigins) } }

    /// How much of the redirecting URL the following request names in its Referer field; nil, the default, adds no such field and
    /// leaves the caller's own as it is. A response's Referrer-Policy field replaces the value for the rest of the chain.
    public var referrer: ReferrerPolicy? { didSet { edits.insert(Property.referrer) } }

    public init() {}

    /// Follows up to 20 redirects, never from https to http.
    public static let follow = RedirectPolicy()

    /// Follows no redirects.
    public static let doNotFollow: RedirectPolicy = {
        var policy = RedirectPolicy()
        policy.follows = false
        return policy
    }()

    /// The same as ``doNotFollow``.
    public static let none = doNotFollow

    package var edits = Edits()
}

extension RedirectPolicy: EditedValue {
    private enum Property: Int {
        case follows, limit, allowsInsecure, methods, keepsCredentialsAcrossOrigins, referrer
    }

    package func apply(to other: inout RedirectPolicy) {
        if edits.contains(Property.follows) { other.follows = follows }
        if edits.contains(Property.limit) { other.limit = limit }
        if edits.contains(Property.allowsInsecure) { other.allowsInsecure = allowsInsecure }
        if edits.contains(Property.methods) { other.methods = methods }
        if edits.contains(Property.keepsCredentialsAcrossOrigins) {
            other.keepsCredentialsAcrossOrigins = keepsCredentialsAcrossOrigins
        }
        if edits.contains(Property.referrer) { other.referrer = referrer }
    }
}

/// The option that holds a request's redirect policy.
package enum RedirectPolicyKey: RequestOptionKey {
    package static var defaultValue: RedirectPolicy { .follow }
    package static var name: String? { "redirects" }
}

extension SessionSettings {
    /// Which redirects are followed; by default up to 20, never from https to http.
    public var redirects: RedirectPolicy {
        get { options[RedirectPolicyKey.self] }
        set { options[RedirectPolicyKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Which redirects of this request are followed; the session's policy until it is changed: `$0.redirects.limit = 3`,
    /// `$0.redirects = .doNotFollow`.
    public var redirects: RedirectPolicy {
        get { options[RedirectPolicyKey.self] }
        _modify { yield &options[edited: RedirectPolicyKey.self] }
        set { options[RedirectPolicyKey.self] = newValue }
    }
}
