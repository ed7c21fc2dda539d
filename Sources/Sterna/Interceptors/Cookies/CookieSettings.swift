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
    static var name: String? { "cookies.callerField" }
}

/// The option that holds the site for which a request is made.
enum CookieSiteKey: RequestOptionKey {
    static var defaultValue: CookieSite? { nil }
    static var name: String? { "cookies.site" }
}

extension SessionSettings {
    /// The cookies of the session's servers, and how they are sent.
    ///
    /// A session without a ``jar`` keeps the other settings for sessions that are derived from it.
    public struct Cookies: Sendable {
        /// The cookies of the session's servers, sent back to them. A session with a base URL has a jar of its own by default,
        /// which sessions derived from it share; one without has none.
        ///
        ///     let api = try Session(baseURL: "https://api.example.com") { $0.cookies.jar = nil }
        public var jar: CookieJar?

        /// The site for which requests are made, which decides about cookies with `SameSite`; nil, the default, treats every
        /// request as one to its own site, which suits programs that do not act for a page.
        public var site: CookieSite?

        /// How a Cookie field set by the caller is combined with the cookies of the ``jar``; ``CallerCookieField/merged`` by
        /// default.
        public var callerField = CallerCookieField.merged

        /// Adds what a request may replace.
        func add(to options: inout RequestOptions) {
            if let site { options[CookieSiteKey.self] = site }
            if callerField != .merged { options[CallerCookieFieldKey.self] = callerField }
        }
    }
}

extension RequestSettings {
    /// How one request's cookies are sent and stored.
    public struct Cookies: SettingsGroup, Sendable {
        var settings: RequestSettings

        /// Whether this request sends cookies of the session's ``SessionSettings/Cookies/jar`` and stores those of its response;
        /// true by default if the session has a jar. In a session without a jar, true fails the request with `invalidRequest`.
        public var isOn: Bool {
            get {
                settings.state.choices.handlesCookies ?? settings.session.map { $0.settings.cookies.jar != nil } ?? true
            }
            set { settings.state.choices.handlesCookies = newValue }
        }

        /// The site for which this request is made; nil for its own site. The session's setting by default. In a session without a
        /// jar, a request with a site fails with `invalidRequest`.
        public var site: CookieSite? {
            get { settings.options[CookieSiteKey.self] }
            set { settings.options[CookieSiteKey.self] = newValue }
        }

        /// How a Cookie field of this request is combined with the cookies of the jar; the session's setting by default. In a
        /// session without a jar, a request that sets it fails with `invalidRequest`.
        public var callerField: CallerCookieField {
            get { settings.options[CallerCookieFieldKey.self] }
            set { settings.options[CallerCookieFieldKey.self] = newValue }
        }

        mutating func replace(by other: Self) {
            replaceChoice(\.handlesCookies, by: other)
            replaceOption(CookieSiteKey.self, by: other)
            replaceOption(CallerCookieFieldKey.self, by: other)
        }
    }
}
