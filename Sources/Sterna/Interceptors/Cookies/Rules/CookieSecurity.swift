import SternaCore
import SternaTransport
import Synchronization

/// Decides which connections count as secure for cookies (draft-ietf-httpbis-rfc6265bis-22, 5.7 and 5.8.3): TLS connections, and
/// direct connections to this machine.
struct CookieSecurity: Sendable {
    /// The engine of the connections and their routes; nil if only TLS counts as secure.
    private let connections: Connections?

    // An object, since the rule is copied for each request.
    private final class Connections: Sendable {
        private let engine: Engine
        private let routing: RouteConfiguration
        /// The last result. The authority includes the port, since proxies and replaced addresses may differ by port.
        private let last = Mutex<(authority: String, staysHere: Bool)?>(nil)

        init(_ settings: SessionSettings) { (engine, routing) = (settings.network.engine, settings.routing) }

        /// Returns whether every connection to the origin of an http URL stays on this machine.
        func staysHere(_ url: HTTPURL) -> Bool {
            let authority = url.authority
            if let last = last.withLock({ $0 }), last.authority == authority { return last.staysHere }
            let staysHere = url.isOnLoopback && engine.staysHere(url, routing)
            last.withLock { $0 = (authority, staysHere) }
            return staysHere
        }
    }

    /// Makes a rule by which only TLS counts as secure.
    init() { connections = nil }

    /// Makes the rule of a session. With a custom transport only TLS counts as secure, since its routes are unknown.
    init(_ settings: SessionSettings) {
        connections = settings.network.transport == nil ? Connections(settings) : nil
    }

    /// Returns whether a request to a URL may carry `Secure` cookies, and its response may set them.
    func isSecure(_ url: HTTPURL) -> Bool {
        if url.scheme.isSecure { return true }
        return connections?.staysHere(url) ?? false
    }
}
