import SternaCore

/// What a Cookie field that the caller has set means for the cookies of the jar.
public enum CallerCookieField: Sendable, Hashable {
    /// The jar adds its cookies behind the caller's, except those with the same names; the default.
    case merged
    /// The jar adds none.
    case replacing
}

/// The option that holds what a caller's Cookie field means.
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
    /// What a Cookie field that the caller has set means for the cookies of ``cookieJar``; by default both are sent.
    ///
    /// A session without a jar keeps the setting for sessions that are derived from it.
    public var callerCookieField: CallerCookieField {
        get { options[CallerCookieFieldKey.self] }
        set { options[CallerCookieFieldKey.self] = newValue }
    }

    /// The site for which requests are made, which decides about cookies with `SameSite`; nil, the default, if each is made for its own,
    /// as by a program that asks in its own name.
    ///
    /// A session without a ``cookieJar`` keeps the setting for sessions that are derived from it.
    public var cookieSite: CookieSite? {
        get { options[CookieSiteKey.self] }
        set { options[CookieSiteKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Whether this request sends cookies of ``SessionSettings/cookieJar`` and stores those of its response; yes where the session
    /// has a jar. In a session without one, a request that asks for it fails with `invalidRequest`.
    public var handlesCookies: Bool {
        get { state.choices.handlesCookies ?? session.map { $0.settings.cookieJar != nil } ?? true }
        set { state.choices.handlesCookies = newValue }
    }

    /// What a Cookie field of this request means for the cookies of the jar. In a session without a jar, a request that sets it
    /// fails with `invalidRequest`.
    public var callerCookieField: CallerCookieField {
        get { options[CallerCookieFieldKey.self] }
        set { options[CallerCookieFieldKey.self] = newValue }
    }

    /// The site for which this request is made; nil for its own. In a session without a ``SessionSettings/cookieJar``, a request
    /// with a site fails with `invalidRequest`.
    public var cookieSite: CookieSite? {
        get { options[CookieSiteKey.self] }
        set { options[CookieSiteKey.self] = newValue }
    }
}
