import SternaCore

/// How a Cookie field set by the caller is combined with the cookies of the jar.
public enum CallerCookieField: Sendable, Hashable {
    /// The jar's cookies follow the caller's, except those with the same names; the default.
    case merged
    /// Only the caller's cookies are sent.
    case replacing
}

/// The option that combines the caller's Cookie field with the jar's cookies.
enum CallerCookieFieldKey: RequestOptionKey {
    static var defaultValue: CallerCookieField { .merged }
    static var name: String? { "callerCookieField" }
}

/// The option that holds the site for which a request is made.
enum CookieSiteKey: RequestOptionKey {
    static var defaultValue: CookieSite? { nil }
    static var name: String? { "cookieSite" }
}

extension SessionSettings {
    /// How a Cookie field set by the caller is combined with the cookies of ``cookieJar``; ``CallerCookieField/merged`` by default.
    ///
    /// A session without a jar keeps the setting for sessions that are derived from it.
    public var callerCookieField: CallerCookieField {
        get { options[CallerCookieFieldKey.self] }
        set { options[CallerCookieFieldKey.self] = newValue }
    }

    /// The site for which requests are made, which decides about cookies with `SameSite`; nil, the default, treats every request as
    /// one to its own site, which suits programs that do not act for a page.
    ///
    /// A session without a ``cookieJar`` keeps the setting for sessions that are derived from it.
    public var cookieSite: CookieSite? {
        get { options[CookieSiteKey.self] }
        set { options[CookieSiteKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Whether this request sends cookies of ``SessionSettings/cookieJar`` and stores those of its response; true by default if the
    /// session has a jar. In a session without a jar, true fails the request with `invalidRequest`.
    public var handlesCookies: Bool {
        get { state.choices.handlesCookies ?? session.map { $0.settings.cookieJar != nil } ?? true }
        set { state.choices.handlesCookies = newValue }
    }

    /// How a Cookie field of this request is combined with the cookies of the jar; the session's setting by default. In a session
    /// without a jar, a request that sets it fails with `invalidRequest`.
    public var callerCookieField: CallerCookieField {
        get { options[CallerCookieFieldKey.self] }
        set { options[CallerCookieFieldKey.self] = newValue }
    }

    /// The site for which this request is made; nil for its own site. The session's setting by default. In a session without a
    /// ``SessionSettings/cookieJar``, a request with a site fails with `invalidRequest`.
    public var cookieSite: CookieSite? {
        get { options[CookieSiteKey.self] }
        set { options[CookieSiteKey.self] = newValue }
    }
}
