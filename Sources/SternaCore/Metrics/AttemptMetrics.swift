/// What one attempt of a request took: one try on one connection, of which a redirect or a stale connection asks for another.
public struct AttemptMetrics: Sendable, Hashable {
    /// Why there was an attempt.
    public enum Reason: String, Sendable, Hashable {
        case first
        case redirect
        /// The server had closed the connection that was to be reused.
        case staleConnection
        /// The server refused to say whether it wants the body (417), which was then sent without asking.
        case expectationRefused
        /// The server had not looked at it: it takes no more on that connection (GOAWAY, REFUSED_STREAM), or asks for HTTP/1.1.
        case refused
        /// The connection was one of another origin, and the server has nothing of this one there (421).
        case misdirected
        /// An interceptor asked again.
        case retry
    }

    /// From when to when something lasted, counted from the request's begin.
    public struct Span: Sendable, Hashable {
        public var start: Duration
        public var end: Duration

        public init(start: Duration, end: Duration) {
            self.start = start
            self.end = max(start, end)
        }

        public var duration: Duration { end - start }
    }

    /// Why there was this attempt.
    public var reason: Reason

    /// The request's method.
    public var method: String

    /// The URL without user information, its secret-looking query values replaced.
    public var url: String

    /// From the attempt's begin to its end, the body of the response included.
    public var whole: Span

    /// Waiting for a connection, or for the permit to open one.
    public var queue: Span?

    /// Finding the host's addresses; nil where the connection was there, as for the following four.
    public var resolve: Span?

    /// Connecting, until one of the addresses had answered.
    public var connect: Span?

    /// What the proxy took to reach the server, its own TLS handshake included.
    public var proxying: Span?

    /// The TLS handshake with the server, the judgement of its certificate included.
    public var tls: Span?

    /// From the request's first byte until its last one was handed to the network.
    public var write: Span?

    /// From then until the first byte of the response.
    public var wait: Span?

    /// From the first byte of the response to its last.
    public var read: Span?

    /// Whether the connection had carried another request before.
    public var isReused = false

    /// The version of HTTP that was spoken.
    public var version: HTTPVersion?

    /// The version of TLS that was spoken, such as `TLS 1.3`.
    public var tlsVersion: String?

    /// This side's address and port.
    public var localAddress: String?

    /// The address and port, or the path, that was connected to: the proxy's where there is one.
    public var remoteAddress: String?

    /// The proxy, without its credentials.
    public var proxy: String?

    /// Bytes of the request as they were written, head and framing included; TLS adds its own.
    public var bytesSent: Int64 = 0

    /// Bytes of the response as they were read, head and framing included; TLS adds its own.
    public var bytesReceived: Int64 = 0

    /// Bytes of the body after its content coding was undone, as far as it was read.
    public var decodedBytes: Int64 = 0

    /// The response's status.
    public var status: Int?

    /// What went wrong.
    public var failure: SternaError.Kind?

    package init(reason: Reason, method: String, url: String, start: Duration) {
        self.reason = reason
        self.method = method
        self.url = url
        whole = Span(start: start, end: start)
    }
}

/// What a request took: its attempts in order.
public struct RequestMetrics: Sendable, Hashable {
    /// A number that no other request of this process has.
    public let id: UInt64

    /// The attempts, first one first.
    public package(set) var attempts: [AttemptMetrics] = []

    package init(id: UInt64) { self.id = id }

    /// From the call to the end of the last attempt.
    public var duration: Duration { attempts.last?.whole.end ?? .zero }

    /// How many redirects were followed.
    public var redirectCount: Int { attempts.count { $0.reason == .redirect } }

    /// How many attempts repeated one that had failed.
    public var retryCount: Int { attempts.count - redirectCount - (attempts.isEmpty ? 0 : 1) }

    /// Bytes of all attempts as they were written.
    public var bytesSent: Int64 { attempts.reduce(0) { $0 + $1.bytesSent } }

    /// Bytes of all attempts as they were read.
    public var bytesReceived: Int64 { attempts.reduce(0) { $0 + $1.bytesReceived } }
}
