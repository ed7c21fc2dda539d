import SternaCore

/// Chooses a request's credentials.
enum Credentials {
    /// Returns the value of the Authorization field: the request's own credentials, else the URL's, else those that the session
    /// shares with its own origin.
    ///
    /// - Parameters:
    ///   - own: the request's own credentials; an inner nil excludes the session's, too.
    ///   - allowsBasic: whether the URL's credentials may be sent without a challenge, by Basic.
    ///
    /// Throws `invalidHeader` or `invalidURL` for credentials that cannot be sent; shared ones were checked when the session was
    /// made.
    static func fieldValue(
        for url: HTTPURL, own: Authorization??, shared: Authorization?, _ resolution: URLResolution,
        allowsBasic: Bool = true
    ) throws(SternaError) -> String? {
        if let own = own.flattened() { return try Headers.field("Authorization", own.fieldValue).value }
        if let userinfo = url.userinfo, allowsBasic { return try Authorization.fieldValue(of: userinfo) }
        guard !own.isSetToNil(), let shared, resolution.isOwnOrigin(url) else { return nil }
        return shared.fieldValue
    }
}
