import SternaCore
import SternaTransport
import Synchronization

/// Decides which connections count as secure for cookies (draft-ietf-httpbis-rfc6265bis-22, 5.7 and 5.8.3): those with TLS, and direct
/// ones to this machine.
struct CookieSecurity: Sendable {
    /// The engine of the connections and their routes; nil where only TLS is secure.
    private let connections: Connections?

    // An object, since each request is given the rule.
    private final class Connections: Sendable {
        private let engine: Engine
        private let routing: RouteConfiguration
        /// The server that was asked about last. Its port belongs to it, since proxies and replaced addresses may differ by port.
        private let last = Mutex<(authority: String, staysHere: Bool)?>(nil)

        init(_ settings: SessionSettings) { (engine, routing) = (settings.engine, settings.routing) }

        /// Whether every connection to the origin of a URL without TLS stays on this machine.
        func staysHere(_ url: HTTPURL) -> Bool {
            let authority = url.authority
            if let last = last.withLock({ $0 }), last.authority == authority { return last.staysHere }
            let staysHere = url.isOnLoopback && engine.staysHere(url, routing)
            last.withLock { $0 = (authority, staysHere) }
            return staysHere
        }
    }

    /// Makes a rule by which only TLS is secure.
    init() { connections = nil }

    /// Makes the rule of a session. Where a transport of the program's own connects to is not known.
    init(_ settings: SessionSettings) {
        connections = settings.transport == nil ? Connections(settings) : nil
    }

    /// Whether a request to a URL carries `Secure` cookies, and its response may set them.
    func isSecure(_ url: HTTPURL) -> Bool {
        if url.scheme.isSecure { return true }
        return connections?.staysHere(url) ?? false
    }
}
