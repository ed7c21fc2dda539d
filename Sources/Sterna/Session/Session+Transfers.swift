package import SternaCore

/// Sessions for transfers that consist of many requests.
extension Session {
    /// Returns a session that may send requests to any origin, but its credentials only to one: the base URL's, or the given one if
    /// the session has no base URL.
    ///
    /// - Throws: the error of invalid settings.
    package func confined(to origin: Origin) throws(SternaError) -> Session {
        var settings = plan.settings
        settings.network.allowsOtherOrigins = true
        var base = plan.base
        if base == nil { base = try URLResolution.base(of: origin.description) }
        return Session(
            plan: SessionPlan(base: base, settings: settings, scope: SessionScope(settings, below: plan.scope)))
    }
}
