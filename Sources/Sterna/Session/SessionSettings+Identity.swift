extension SessionSettings {
    /// Removes what tells a server which user sends a request: header fields, credentials, tokens, signatures, cookies, client certificates,
    /// and interceptors, adapters, retriers, redirect handlers and ``decisions``, which may add such things.
    ///
    ///     let stranger = session.with { $0.removeIdentity() }
    ///
    /// For requests to servers that are not the user's own choice, such as those of a page's content to other origins. Trust, proxies, limits
    /// and the cache stay: what is stored for the user answers none of these requests, unless a response is marked `public`.
    public mutating func removeIdentity() {
        headers = Headers()
        authorization = nil
        let policy = authenticationSettings.policy
        authenticationSettings = AuthenticationSettings()
        authenticationSettings.policy = policy
        (tokenAuthentication, awsSigning, messageSigning) = (nil, nil, nil)
        (interceptors, networkInterceptors, adapters, retriers) = ([], [], [], [])
        (redirectHandler, decisions) = (nil, nil)
        cookieJar = nil
        securityPolicy.removeIdentity()
        hostPolicies.removeIdentities()
        // Responses that interceptors have got for the user may be stored without a sign of the user: they are kept apart.
        identityLabel = "SessionSettings.removeIdentity()"
    }
}
