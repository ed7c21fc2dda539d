import HTTPTypes
import NIOCore
import SternaCore

/// The head of a response as it came over HTTP/1: its status line, and what its fields say of the framing.
struct ResponseHead {
    var status = 0
    var minorVersion = 1
    var section = FieldSection()
    var contentLength: Int64?
    var isChunked = false
    var connectionClose = false
    var connectionKeepAlive = false

    /// The seconds that a Keep-Alive field names.
    var keepAlive: Int?

    /// Whether the connection may carry another exchange (RFC 9112, 9.3).
    var isPersistent: Bool {
        minorVersion >= 1 ? !connectionClose : connectionKeepAlive && !connectionClose
    }

    /// How long the server will keep the connection, less a second in which a request may be on its way.
    var patience: TimeAmount? { keepAlive.map { .seconds(Int64(max(0, $0 - 1))) } }

    var version: HTTPVersion { HTTPVersion(major: 1, minor: minorVersion) }

    var isInformational: Bool { status < 200 }

    /// The response this head begins.
    func response(to request: Request, body: ResponseBody) -> Response {
        Response(
            status: .init(code: status), version: version, section: section, body: body, url: request.url)
    }
}

/// What a peer sent that is no HTTP/1 response, or more of it than is allowed.
struct ParseFailure: Error {
    var kind: SternaError.Kind
    var detail: String

    /// An answer that is valid, but not what was needed.
    var head: ResponseHead?

    static func malformed(_ detail: String) -> ParseFailure {
        ParseFailure(kind: .malformedResponse, detail: "The answer is not valid HTTP: \(detail)")
    }

    static func limit(_ detail: String) -> ParseFailure { ParseFailure(kind: .limitExceeded, detail: detail) }
}
