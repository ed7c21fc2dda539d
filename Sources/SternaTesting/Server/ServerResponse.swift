public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// The response of a test server's route, or of a mock.
///
///     server.route("GET", "/me") { _ in .json(["name": "Ada"], headers: ["ETag": "\"1\""]) }
///     let mock = MockTransport { _ in .json(["name": "Ada"], headers: ["ETag": "\"1\""]) }
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
        /// The body of a response: a mock hands it over unchanged, a server reads it at the client's pace.
        case content(ResponseBody)
        /// No HTTP at all: the status and the headers are ignored and the closure writes any bytes; the connection is closed when
        /// it returns. Over HTTP/2 that affects the whole connection, with every other stream on it. A mock fails instead.
        case raw(@Sendable (ServerRawConnection) async throws -> Void)
    }

    /// The status code: 200 to 599, for a mock 100 to 999. A server sends 500 for any other one; a mock uses the nearest one.
    public var status: Int
    /// The reason phrase; `nil` sends the registered one.
    public var reason: String?
    /// The header fields. A server adds `Content-Length`, `Transfer-Encoding`, `Date` and `Server` if absent. `Connection:
    /// close` closes the connection after the response. Over HTTP/2 the names are sent in lower case. Fields that HTTP/2 forbids
    /// (RFC 9113 §8.2.2) are left out without any effect, as are invalid names. A mock adds no field, and fails for an invalid one.
    public var headers: ServerHeaders
    /// The body.
    public var body: Body
    /// Trailer fields, sent only with a streamed body of unknown length (RFC 9112 §7.1.2, RFC 9113 §8.1).
    public var trailers: ServerHeaders
    /// The reset sent over HTTP/2 in place of the response.
    private(set) var reset: ServerStreamReset?
    /// The switch of protocols that takes the place of the response if the request allows it.
    private(set) var upgrade: ServerUpgrade?

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

    /// Makes a response that switches protocols, or refuses to.
    init(upgrade: ServerUpgrade) {
        self.init(status: 426)
        self.upgrade = upgrade
    }

    /// Makes a response with a response's body: bytes, or a stream that is pulled.
    public init(status: Int = 200, headers: ServerHeaders = [:], body: ResponseBody) {
        self.init(status: status, headers: headers, body: .content(body))
    }

    /// Returns bytes with a media type, `application/octet-stream` by default.
    public static func bytes(
        _ bytes: some Sequence<UInt8>, mediaType: String = "application/octet-stream", status: Int = 200,
        headers: ServerHeaders = [:]
    ) -> ServerResponse {
        ServerResponse(status: status, headers: headers.describing(mediaType), body: .bytes(Array(bytes)))
    }

    /// Returns bytes with a media type, `application/octet-stream` by default.
    public static func bytes(
        _ bytes: Bytes, mediaType: String = "application/octet-stream", status: Int = 200, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        ServerResponse(status: status, headers: headers.describing(mediaType), body: ResponseBody(bytes))
    }

    /// Returns bytes of Foundation's type, as `application/octet-stream` unless another media type is given.
    public static func data(
        _ data: Data, mediaType: String = "application/octet-stream", status: Int = 200, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        bytes(data, mediaType: mediaType, status: status, headers: headers)
    }

    /// Returns text in UTF-8, as `text/plain; charset=utf-8` unless another media type is given.
    public static func text(
        _ text: String, mediaType: String = "text/plain; charset=utf-8", status: Int = 200, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        bytes(text.utf8, mediaType: mediaType, status: status, headers: headers)
    }

    /// Returns a JSON value as `application/json`. A number that is not finite makes the body invalid. For text that is JSON
    /// already, use ``text(_:mediaType:status:headers:)``.
    public static func json(_ value: JSON, status: Int = 200, headers: ServerHeaders = [:]) -> ServerResponse {
        text(value.description, mediaType: "application/json", status: status, headers: headers)
    }

    /// Returns a redirect to a target, 302 by default.
    public static func redirect(to location: String, status: Int = 302, headers: ServerHeaders = [:]) -> ServerResponse
    {
        var all: ServerHeaders = ["Location": location]
        all.fields += headers.fields
        return ServerResponse(status: status, headers: all)
    }

    /// Returns a JSON body `{"message": …}` with a status.
    public static func message(
        _ text: String, status: Int, headers: ServerHeaders = [:]
    ) -> ServerResponse {
        .text(
            EchoJSON.object([("message", .string(text))]).text(), mediaType: "application/json", status: status,
            headers: headers)
    }
}

extension ServerHeaders {
    /// Returns the fields after a Content-Type.
    func describing(_ mediaType: String) -> ServerHeaders {
        var all: ServerHeaders = ["Content-Type": mediaType]
        all.fields += fields
        return all
    }
}

extension ServerResponse.Body {
    /// The body as a server writes it: a stream that is pulled becomes a writer.
    var written: ServerResponse.Body {
        guard case .content(let body) = self else { return self }
        guard let stream = body.stream else { return .bytes(body.whole?.array ?? []) }
        return .stream(length: stream.length.flatMap { Int(exactly: $0) }) { writer in
            while let piece = try await stream.next() { try await writer.write(piece) }
        }
    }
}
