public import SternaCore

extension Session {
    /// Returns the cookies that a request to a URL would carry, in the order of its Cookie field; none without a
    /// ``SessionSettings/Cookies/jar``. Blocks the thread on the disk if the jar has a file that was not read yet.
    ///
    ///     let sid = try api.cookies(for: "/").first { $0.name == "sid" }?.value
    ///
    /// - Parameter reference: a URL, absolute or relative to the base URL.
    ///
    /// Throws `invalidURL`.
    public func cookies(for reference: some URLConvertible) throws(SternaError) -> [Cookie] {
        let url = try plan.url(of: reference)
        return plan.settings.cookies.jar?.cookies(for: url, isSecure: CookieSecurity(plan.settings).isSecure(url)) ?? []
    }
}

extension Reply {
    /// The cookies that the response sets, as a jar would accept them from its URL, including expired cookies, which remove others.
    /// For the cookies that were sent, see the `cookies` of a task's ``SessionTask/requests``.
    public var cookies: [Cookie] { response.cookies }
}
