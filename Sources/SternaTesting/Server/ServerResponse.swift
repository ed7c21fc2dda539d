/// The response of a route's handler.
public struct ServerResponse: Sendable {
    /// The source of the body.
    public enum Body: Sendable {
        /// No body; `Content-Length: 0` is sent if the status allows one.
        case empty
        /// A body in memory, sent with its `Content-Length`.
        case bytes([UInt8])
        /// A body written piece by piece at the client's pace: with `Content-Length` if `length` is known (the writer must then
        /// write exactly that many bytes), otherwise chunked. If the writer throws or writes less, the connection is closed; over
        /// HTTP/2 the stream is reset, with `INTERNAL_ERROR` unless a ``ServerStreamReset`` was thrown.
        case stream(length: Int?, @Sendable (ServerBodyWriter) async throws -> Void)
        /// No HTTP at all: the status and the headers are ignored and the closure writes any bytes; the connection is closed when
        /// it returns. Over HTTP/2 that affects the whole connection, with every other stream on it.
        case raw(@Sendable (ServerRawConnection) async throws -> Void)
    }

    /// The status code, 200 to 599.
    public var status: Int
    /// The reason phrase; `nil` sends the registered one.
    public var reason: String?
    /// The header fields; the server adds `Content-Length`, `Transfer-Encoding`, `Date` and `Server` if absent. `Connection:
    /// close` closes the connection after the response. Over HTTP/2 the names are sent in lower case. Fields that HTTP/2 forbids
    /// (RFC 9113 §8.2.2) are left out without any effect, as are invalid names.
    public var headers: ServerHeaders
    /// The body.
    public var body: Body
    /// Trailer fields, sent only with a streamed body of unknown length (RFC 9112 §7.1.2, RFC 9113 §8.1).
    public var trailers: ServerHeaders
    /// The reset sent over HTTP/2 in place of the response.
    private(set) var reset: ServerStreamReset?

    /// Makes a response; without a body by default.
    public init(
        status: Int = 200, reason: String? = nil, headers: ServerHeaders = [:], body: Body = .empty,
        trailers: ServerHeaders = [:]
    ) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
        self.trailers = trailers
    }

    /// Makes a response that only ends the stream, or an HTTP/1 connection.
    init(reset: ServerStreamReset) {
        self.init(body: .raw { _ in })
        self.reset = reset
    }

    /// Returns bytes with a media type, `application/octet-stream` by default.
    public static func bytes(
        _ bytes: [UInt8], type: String = "application/octet-stream", status: Int = 200, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        var all: ServerHeaders = ["Content-Type": type]
        all.fields += headers.fields
        return ServerResponse(status: status, headers: all, body: .bytes(bytes))
    }

    /// Returns text in UTF-8, `text/plain` by default.
    public static func text(
        _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        bytes(Array(text.utf8), type: type, status: status, headers: headers)
    }

    /// Returns JSON text as `application/json`; the text is sent unchanged.
    public static func json(_ text: String, status: Int = 200, headers: ServerHeaders = [:]) -> ServerResponse {
        bytes(Array(text.utf8), type: "application/json", status: status, headers: headers)
    }

    /// Returns a redirect to a target, 302 by default.
    public static func redirect(to location: String, status: Int = 302) -> ServerResponse {
        ServerResponse(status: status, headers: ["Location": location])
    }

    /// Returns a JSON body `{"message": …}` with a status.
    public static func message(
        _ text: String, status: Int, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        json(EchoJSON.object([("message", .string(text))]).text(), status: status, headers: headers)
    }
}
