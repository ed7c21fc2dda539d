import SternaCore

/// The way to the servers, the addresses that connections may go to, and the use of HTTP/2.
package struct RouteConfiguration: Sendable, Hashable {
    /// Which requests go through which proxy; none by default.
    package var proxies = ProxySettings.none

    /// Which addresses may be connected to; all by default.
    package var dialPolicy = DialPolicy.all

    /// The path of a Unix domain socket that all requests are sent to, in place of their hosts and of proxies; none by default.
    package var unixSocket: String?

    /// When HTTP/2 is used; by default if servers choose it.
    package var http2 = HTTP2Mode.negotiated

    /// Connects to everything directly.
    package init() {}

    /// Whether the value holds closures, so that it is equal only to itself.
    var hasClosures: Bool { proxies.hasClosures || dialPolicy.hasClosure }

    /// Returns the route to a URL.
    ///
    /// - Parameter proxy: the proxy that the rules have chosen already, if they are asked for each URL.
    func route(for url: HTTPURL, proxy: Proxy?) throws(SternaError) -> Route {
        if let unixSocket {
            // The structure for a path has room for 103 bytes and a zero on Apple's platforms, and for 107 on Linux.
            guard (1...103).contains(unixSocket.utf8.count), !unixSocket.utf8.contains(0) else {
                throw SternaError(
                    .invalidURL, phase: .prepare, "A Unix domain socket's path has 1 to 103 bytes, none of them zero.")
            }
            return .unixSocket(unixSocket)
        }
        guard let proxy = proxies.isByOrigin ? try proxies.proxy(for: url) : proxy else { return .direct }
        return .proxy(proxy)
    }
}
