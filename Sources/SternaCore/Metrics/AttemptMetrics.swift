/// The metrics of one attempt on one connection. A redirect or a stale connection, for example, causes another attempt.
public struct AttemptMetrics: Sendable, Hashable {
    /// The reason for an attempt.
    public enum Reason: String, Sendable, Hashable {
        case first
        case redirect
        /// The server had closed the connection to be reused, or had sent content there after its response to HEAD.
        case staleConnection
        /// The server rejected `Expect: 100-continue` (417); the body was then sent without waiting for consent.
        case expectationRefused
        /// The server had not processed the request: it closes the connection to new ones (GOAWAY, REFUSED_STREAM), or asks for
        /// HTTP/1.1.
        case refused
        /// The connection was shared with another origin, and the server does not serve this origin on it (421).
        case misdirected
        /// The retry policy, or another interceptor, repeated the request.
        case retry
        /// The request was resent with credentials after a challenge, or with a new signature because the server refused its date.
        case authentication
        /// The response was late, and a copy of the request was sent (hedged).
        case hedge
    }

    /// A time span, relative to the request's beginning.
    public struct Span: Sendable, Hashable {
        public var start: Duration
        public var end: Duration

        package init(start: Duration, end: Duration) {
            self.start = start
            self.end = max(start, end)
        }

        public var duration: Duration { end - start }
    }

    /// The reason for this attempt.
    public var reason: Reason

    /// The request's method.
    public var method: String

    /// The URL without user information, its secret-looking query values replaced.
    public var url: String { target.description }

    private let target: ShownURL

    /// The host of the URL, without the brackets of an address, and its port.
    package var server: (host: String, port: Int) { target.server }

    /// The whole attempt, including the body of the response; after a switch of protocols, such as to a WebSocket, up to its head.
    public var whole: Span

    /// Whether ``whole`` has its end.
    package private(set) var isOver = false

    /// Waiting for a connection, or for permission to open one.
    public var queue: Span?

    /// Resolving the host's addresses; nil on a reused connection, like ``connect``, ``proxying`` and ``tls``.
    public var resolve: Span?

    /// Connecting, until one of the addresses has accepted the connection.
    public var connect: Span?

    /// The proxy's time to reach the server, including the TLS handshake with the proxy.
    public var proxying: Span?

    /// The TLS handshake with the server, including the evaluation of its certificate.
    public var tls: Span?

    /// From writing the request's first byte to writing its last.
    public var write: Span?

    /// From the end of ``write`` to the first byte of the response.
    public var wait: Span?

    /// From the first byte of the response to its last.
    public var read: Span?

    /// Whether the connection had carried another request before.
    public var isReused = false

    /// The number of the connection, which attempts on the same connection share; unique within the process. Nil before the attempt
    /// has a connection.
    public var connectionNumber: UInt64?

    /// The number of the stream on an HTTP/2 connection (RFC 9113, 5.1.1); nil over HTTP/1.
    public var streamNumber: Int?

    /// What the TLS handshake of the connection has agreed on; nil unless a recorder was in use when it was opened.
    package var tlsDetails: TLSDetails?

    /// The negotiated version of HTTP.
    public var version: HTTPVersion?

    /// The negotiated version of TLS, such as `TLS 1.3`.
    public var tlsVersion: String?

    /// The local address and port.
    public var localAddress: String?

    /// The address and port, or the path, of the connection's peer: the proxy's if there is one.
    public var remoteAddress: String?

    /// The proxy, without its credentials.
    public var proxy: String?

    /// Bytes of the request as written, including head and framing, without the overhead of TLS.
    public var bytesSent: Int64 = 0

    /// Bytes of the response as read, including head and framing, without the overhead of TLS.
    public var bytesReceived: Int64 = 0

    /// Bytes of the body after content decoding, as far as it was read.
    public var decodedBytes: Int64 = 0

    /// The response's status.
    public var status: Int?

    /// The kind of the error that ended the attempt.
    public var failure: SternaError.Kind?

    package init(reason: Reason, method: String, url: HTTPURL, start: Duration) {
        self.reason = reason
        self.method = method
        target = ShownURL(url)
        whole = Span(start: start, end: start)
    }

    /// Records the end of the attempt, once.
    package mutating func end(at moment: Duration) {
        guard !isOver else { return }
        whole = Span(start: whole.start, end: moment)
        isOver = true
    }
}

/// The metrics of a request: its attempts in order.
public struct RequestMetrics: Sendable, Hashable {
    /// A number that is unique within this process.
    public let id: UInt64

    /// The attempts in order.
    public package(set) var attempts: [AttemptMetrics] = []

    /// What the request found in the session's cache; nil if it did not ask one.
    package var cacheResult: CacheResult?

    package init(id: UInt64) { self.id = id }

    /// From the call to the end of the attempt that ended last.
    public var duration: Duration { attempts.lazy.map(\.whole.end).max() ?? .zero }

    /// The number of followed redirects.
    public var redirectCount: Int { attempts.count { $0.reason == .redirect } }

    /// The number of copies that were sent because a response was late.
    public var hedgeCount: Int { attempts.count { $0.reason == .hedge } }

    /// The number of attempts after the first, except redirects and hedged copies.
    public var retryCount: Int { attempts.count - redirectCount - hedgeCount - (attempts.isEmpty ? 0 : 1) }

    /// The bytes written in all attempts.
    public var bytesSent: Int64 { attempts.reduce(0) { $0 + $1.bytesSent } }

    /// The bytes read in all attempts.
    public var bytesReceived: Int64 { attempts.reduce(0) { $0 + $1.bytesReceived } }
}

/// What a request found in a session's cache.
package enum CacheResult: String, Sendable, Hashable {
    /// A stored response was served.
    case hit
    /// A stored response was served after the server had confirmed it.
    case revalidated
    /// No stored response was served.
    case miss
}
