import SternaCore

/// Chooses a request's credentials.
enum Credentials {
    /// Returns the value of the Authorization field: the request's own credentials, else the URL's, else those that the session
    /// shares with its own origin.
    ///
    /// Throws `invalidHeader` or `invalidURL` for credentials that cannot be sent; shared ones were checked when the session was made.
    static func fieldValue(
        for url: HTTPURL, own: Authorization?, shared: Authorization?, _ resolution: URLResolution
    ) throws(SternaError) -> String? {
        if let own { return try Headers.field("Authorization", own.fieldValue).value }
        if let userinfo = url.userinfo { return try Authorization.fieldValue(of: userinfo) }
        guard let shared, resolution.isOwnOrigin(url) else { return nil }
        return shared.fieldValue
    }
}
