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

    /// The attributes of a request.
    ///
    /// - Parameter resends: the number of requests of the same call before this one.
    static func attributes(of request: Request, resends: Int) -> SpanAttributes {
        let method = request.method.rawValue
        var attributes: SpanAttributes = [
            "http.request.method": .string(KnownMethods.label(method)),
            "url.full": .string(Redaction.show(request.url)),
            "server.address": .string(request.url.hostWithoutBrackets),
            "server.port": .int64(Int64(request.url.effectivePort)),
        ]
        if !KnownMethods.contains(method) { attributes["http.request.method_original"] = method }
        if resends > 0 { attributes["http.request.resend_count"] = resends }
        return attributes
    }

    /// The attributes of a response's head.
    static func attributes(of response: Response) -> SpanAttributes {
        let code = response.status.code
        var attributes: SpanAttributes = [
            "http.response.status_code": .int64(Int64(code)),
            "network.protocol.version": .string(response.version.number),
        ]
        if isError(code) { attributes["error.type"] = "\(code)" }
        return attributes
    }

    /// The attributes of an attempt's connection; none if the attempt has no connection, or was not recorded.
    static func attributes(of attempt: AttemptMetrics?) -> SpanAttributes {
        var attributes: SpanAttributes = [:]
        guard let attempt else { return attributes }
        if let version = attempt.version { attributes["network.protocol.version"] = version.number }
        guard let text = attempt.remoteAddress else { return attributes }
        let peer = peer(text)
        attributes["network.peer.address"] = peer.address
        if let port = peer.port { attributes["network.peer.port"] = port }
        return attributes
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
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else {
            return (text, nil)
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { return (String(host.dropFirst().dropLast()), port) }
        return IPAddress(host) == nil ? (text, nil) : (String(host), port)
    }
}
