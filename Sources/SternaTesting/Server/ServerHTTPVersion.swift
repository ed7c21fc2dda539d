import NIOHTTP1

/// The HTTP version of a request.
public enum ServerHTTPVersion: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// HTTP/1.0 (RFC 1945).
    case http10 = "HTTP/1.0"
    /// HTTP/1.1 (RFC 9112), and any other minor version of HTTP/1.
    case http11 = "HTTP/1.1"
    /// HTTP/2 (RFC 9113).
    case http2 = "HTTP/2"

    init(_ version: HTTPVersion) {
        self = version == .http1_0 ? .http10 : .http11
    }

    /// The version's name, `HTTP/1.1` for instance.
    public var description: String { rawValue }
}
