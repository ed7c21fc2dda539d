import HTTPTypes
import Sterna
import SternaCore
import Tracing

/// Names and attributes of spans, by OpenTelemetry's stable semantic conventions for HTTP clients (1.23 and later).
enum SpanRule {
    /// The name of a request's span: its method, and `HTTP` for one that the conventions do not know.
    static func name(of method: Request.Method) -> String {
        KnownMethods.contains(method.rawValue) ? method.rawValue : "HTTP"
    }

    /// Adds the attributes of a request.
    ///
    /// - Parameter resends: the number of requests of the same call before this one.
    static func add(_ request: Request, resends: Int, to attributes: inout SpanAttributes) {
        // Room for all that follow, which saves the dictionary from growing twice.
        attributes.reserveCapacity(12)
        let method = request.method.rawValue
        attributes.set("http.request.method", value: .string(KnownMethods.label(method)))
        attributes.set("url.full", value: .string(Redaction.show(request.url)))
        attributes.set("server.address", value: .string(request.url.hostWithoutBrackets))
        attributes.set("server.port", value: .int64(Int64(request.url.effectivePort)))
        if !KnownMethods.contains(method) { attributes.set("http.request.method_original", value: .string(method)) }
        if resends > 0 { add(resends: resends, to: &attributes) }
    }

    static func add(resends: Int, to attributes: inout SpanAttributes) {
        attributes.set("http.request.resend_count", value: .int64(Int64(resends)))
    }

    /// Adds the attributes of a response's head.
    static func add(_ response: Response, to attributes: inout SpanAttributes) {
        let code = response.status.code
        attributes.set("http.response.status_code", value: .int64(Int64(code)))
        attributes.set("network.protocol.version", value: .string(response.version.number))
        if isError(code) { attributes.set("error.type", value: .string("\(code)")) }
    }

    /// Adds the attributes of an attempt's connection; none if the attempt has no connection, or was not recorded.
    static func add(_ attempt: AttemptMetrics?, to attributes: inout SpanAttributes) {
        guard let attempt else { return }
        if let version = attempt.version { attributes.set("network.protocol.version", value: .string(version.number)) }
        guard let text = attempt.remoteAddress else { return }
        let peer = peer(text)
        attributes.set("network.peer.address", value: .string(peer.address))
        if let port = peer.port { attributes.set("network.peer.port", value: .int64(Int64(port))) }
    }

    /// Whether a status is an error of the client or of the server.
    static func isError(_ code: Int) -> Bool { code >= 400 }

    /// The value of `error.type` for an error: its kind, `cancelled`, or the name of its type.
    static func type(of error: any Error) -> String {
        if let known = error as? SternaError { return known.kind.rawValue }
        return error is CancellationError ? SternaError.Kind.cancelled.rawValue : "\(Swift.type(of: error))"
    }

    static func isCancellation(_ error: any Error) -> Bool { type(of: error) == SternaError.Kind.cancelled.rawValue }

    /// Splits the text of a connection's peer: an address and a port, or the path of a Unix domain socket.
    static func peer(_ text: String) -> (address: String, port: Int?) {
        // Of bytes, since characters are slow.
        let bytes = text.utf8
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), let port = Int(text[bytes.index(after: colon)...])
        else {
            return (text, nil)
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { return (String(host.dropFirst().dropLast()), port) }
        return IPAddress(host) == nil ? (text, nil) : (String(host), port)
    }
}
