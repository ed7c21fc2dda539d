import HTTPTypes
import NIOCore
import SternaCore

/// What the head of a response says of the message itself: its status line, and what its fields say of the framing.
struct HeadSummary {
    var status = 0
    var minorVersion = 1
    var contentLength: Int64?
    var isChunked = false
    var connectionClose = false
    var connectionKeepAlive = false

    /// The seconds that a Keep-Alive field names.
    var keepAlive: Int?

    /// Whether a line ends with LF without CR.
    var hasBareLineFeed = false
}

/// The head of a response as it came over HTTP/1; a reference, since it goes through several hands.
final class ResponseHead: Sendable {
    let summary: HeadSummary
    let section: FieldSection

    init(summary: HeadSummary, section: FieldSection) {
        self.summary = summary
        self.section = section
    }

    var status: Int { summary.status }
    var contentLength: Int64? { summary.contentLength }
    var isChunked: Bool { summary.isChunked }

    /// Whether the connection may carry another exchange (RFC 9112, 9.3).
    var isPersistent: Bool {
        !summary.connectionClose && (summary.minorVersion >= 1 || summary.connectionKeepAlive)
    }

    /// How long the server will keep the connection, less a second in which a request may be on its way; nil where it does
    /// not say.
    var patience: TimeAmount? { summary.keepAlive.map { .seconds(Int64(max(0, $0 - 1))) } }

    var version: HTTPVersion { HTTPVersion(major: 1, minor: summary.minorVersion) }

    var isInformational: Bool { status < 200 }

    /// The response this head begins.
    func response(from url: HTTPURL, body: ResponseBody) -> Response {
        Response(
            status: .init(code: status), version: version, section: section, body: body, url: url)
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
