import SternaCore
import SternaTransport

/// Decides which connections count as secure for cookies (draft-ietf-httpbis-rfc6265bis-22, 5.7 and 5.8.3): those with TLS, and direct
/// ones to this machine.
struct CookieSecurity: Sendable {
    /// The engine of the connections and their routes; nil where only TLS is secure.
    private let connections: Connections?

    // An object, since each request is given the rule.
    private final class Connections: Sendable {
        let engine: Engine
        let routing: RouteConfiguration

        init(_ settings: SessionSettings) { (engine, routing) = (settings.engine, settings.routing) }
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
        guard let connections, url.isOnLoopback else { return false }
        return connections.engine.staysHere(url, connections.routing)
    }
}
