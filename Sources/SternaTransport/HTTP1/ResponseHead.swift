import HTTPTypes
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

    /// Whether the connection may carry another exchange (RFC 9112, 9.3).
    var isPersistent: Bool {
        minorVersion >= 1 ? !connectionClose : connectionKeepAlive && !connectionClose
    }

    var isInformational: Bool { status < 200 }

    /// The response this head begins.
    func response(to request: Request, body: ResponseBody) -> Response {
        Response(
            status: .init(code: status), version: HTTPVersion(major: 1, minor: minorVersion), section: section,
            body: body,
            url: request.url)
    }
}

/// What a peer sent that is no HTTP/1 response, or more of it than is allowed.
struct ParseFailure: Error {
    var kind: SternaError.Kind
    var detail: String

    static func malformed(_ detail: String) -> ParseFailure {
        ParseFailure(kind: .malformedResponse, detail: "The answer is not valid HTTP: \(detail)")
    }

    static func limit(_ detail: String) -> ParseFailure { ParseFailure(kind: .limitExceeded, detail: detail) }
}
