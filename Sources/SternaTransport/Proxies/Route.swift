import SternaCore

/// The way from the client to an origin.
enum Route: Sendable, Hashable {
    case direct
    /// A Unix domain socket's path.
    case unixSocket(String)
    case proxy(Proxy)

    /// The proxy credentials of a request for an http URL that a proxy forwards; nil if the request goes to the origin itself.
    var forwarding: Endpoint.Forwarding? {
        guard case .proxy(let proxy) = self, proxy.kind != .socks5 else { return nil }
        return Endpoint.Forwarding(authorization: proxy.authorization)
    }
}

extension Proxy {
    /// The Proxy-Authorization field's value (RFC 9110, 11.7.2; RFC 7617).
    var authorization: String? {
        guard let username, let password else { return nil }
        return Authorization.basic(username, password).fieldValue
    }

    /// The host as a URL writes it.
    var authorityHost: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }
}
