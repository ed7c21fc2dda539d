public import SternaCore

extension Session {
    /// Returns the cookies that a request to a URL would carry, in their order; none without a ``SessionSettings/cookieJar``. Waits for the
    /// disk if the jar has a file that was not read yet.
    ///
    ///     let sid = try api.cookies(for: "/").first { $0.name == "sid" }?.value
    ///
    /// - Parameter reference: relative to the base URL, or absolute.
    ///
    /// Throws `invalidURL`.
    public func cookies(for reference: some URLConvertible) throws(SternaError) -> [Cookie] {
        let url = try plan.url(of: reference)
        return plan.settings.cookieJar?.cookies(for: url, isSecure: CookieSecurity(plan.settings).isSecure(url)) ?? []
    }
}

extension Reply {
    /// The cookies that the response sets, as a jar would take them from its URL: those that have expired, which remove others, among
    /// them. Those that were sent are the `cookies` of the requests of a task.
    public var cookies: [Cookie] { response.cookies }
}
