import SternaCore

/// The option that holds a session's token authentication.
enum TokenAuthenticationKey: RequestOptionKey {
    static var defaultValue: TokenAuthentication? { nil }
    static var name: String? { "tokenAuthentication" }
}

/// Whether a request may carry the session's token.
enum TokenUseKey: RequestOptionKey {
    static let defaultValue = true
    static var name: String? { "usesTokenAuthentication" }
}

/// Whether a request's Authorization field has the session's token, so that no other credential takes its place.
enum TokenCarriedKey: RequestOptionKey {
    static let defaultValue = false
}

extension SessionSettings {
    /// Adds a token to the session's requests, and refreshes it; none by default. A derived session shares it.
    public var tokenAuthentication: TokenAuthentication? {
        get { options[TokenAuthenticationKey.self] }
        set { options[ifSet: TokenAuthenticationKey.self] = newValue.map(Optional.some) }
    }
}

extension RequestSettings {
    /// Whether this request carries the token of ``SessionSettings/tokenAuthentication``, and waits for it; yes by default. Turn it off
    /// for requests that need none, such as a login.
    public var usesTokenAuthentication: Bool {
        get { options[TokenUseKey.self] }
        set { options[TokenUseKey.self] = newValue }
    }
}
