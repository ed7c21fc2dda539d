extension SessionSettings {
    /// Removes what identifies the user to a server: ``headers`` and those of the ``requestSerializer``, credentials, tokens,
    /// signatures, cookies, client certificates, and interceptors, adapters, retriers, redirect handlers and ``Tasks/decisions``,
    /// which may add such things. A request serializer that is not configurable stays.
    ///
    ///     let stranger = session.with { $0.removeIdentity() }
    ///
    /// Use it for requests to servers that the user did not choose, such as those for a page's content on other origins. Trust,
    /// proxies, limits and the cache stay; responses that were stored for the user are not used for these requests, unless they are
    /// marked `public`.
    public mutating func removeIdentity() {
        headers = Headers()
        if var serializer = requestSerializer as? any ConfigurableRequestSerializer {
            serializer.settings.headers = Headers()
            requestSerializer = serializer
        }
        auth.header = nil
        let policy = auth.challenges.policy
        auth.challenges = AuthenticationSettings()
        auth.challenges.policy = policy
        (auth.tokens, auth.signing) = (nil, SigningChoices())
        (interceptors, networkInterceptors, adapters, retriers) = ([], [], [], [])
        (redirectHandler, tasks.decisions) = (nil, nil)
        cookies.jar = nil
        trust.policy.removeIdentity()
        trust.hosts.removeIdentities()
        // Interceptors may have obtained responses for the user that the cache cannot recognize as such; the label keeps them
        // apart.
        auth.identityLabel = "SessionSettings.removeIdentity()"
    }
}
