package import SternaCore

/// Which redirects are followed (RFC 9110, 15.4): statuses 301, 302, 303, 307 and 308 with a Location field.
///
/// Conflicting Location fields are an error, as is an empty host (`http:///path`; RFC 9110, 4.2.1). User information in a Location
/// URL replaces that of the former URL, and is sent to its origin by Basic authentication, unless the request has other credentials
/// for that origin.
///
/// Shown URLs do not contain user information. A redirect with user information that is not UTF-8, or with a colon in the user
/// name, is refused.
public struct RedirectPolicy: Sendable, Hashable {
    /// Whether redirects are followed; true by default. If false, the redirect response is returned, and its status is not an
    /// error.
    public var follows = true { didSet { edits.insert(Property.follows) } }

    /// The maximum number of consecutive redirects; 20 by default. Beyond it the request fails with `tooManyRedirects`. Repeated
    /// URLs are permitted, since servers that set a cookie first may redirect a URL to itself.
    public var limit = 20 { didSet { edits.insert(Property.limit) } }

    /// Whether a redirect may lead from https to http; false by default, which fails the request with `redirectRefused`.
    public var allowsInsecure = false { didSet { edits.insert(Property.allowsInsecure) } }

    /// How redirects change the method and the body; ``RedirectMethods/fetch`` by default.
    public var methods = RedirectMethods.fetch { didSet { edits.insert(Property.methods) } }

    /// Whether Authorization, Cookie, Proxy-Authorization and secret header fields are also sent to another scheme, host or port,
    /// like curl's `--location-trusted`; false by default.
    ///
    /// User information of a URL is sent only to that URL's origin. Without this setting, credentials are dropped at the first
    /// redirect to another origin, and are not added again if a redirect leads back.
    public var keepsCredentialsAcrossOrigins = false { didSet { edits.insert(Property.keepsCredentialsAcrossOrigins) } }

    /// How much of the redirecting URL the next request sends in its Referer field; nil, the default, adds no such field and keeps
    /// the caller's own. A response's Referrer-Policy field replaces the value for the rest of the chain.
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
    /// Which redirects of this request are followed; the session's policy by default. Properties may be changed one by one:
    /// `$0.redirects.limit = 3`.
    public var redirects: RedirectPolicy {
        get { options[RedirectPolicyKey.self] }
        _modify { yield &options[edited: RedirectPolicyKey.self] }
        set { options[RedirectPolicyKey.self] = newValue }
    }
}
