import HTTPTypes
import NIOCore
import SternaCore

/// The parts of a response's head that describe the message: its status line, and the framing that its fields define.
struct HeadSummary {
    var status = 0
    var minorVersion = 1
    var contentLength: Int64?
    var isChunked = false
    var connectionClose = false
    var connectionKeepAlive = false

    /// The timeout of the Keep-Alive field, in seconds.
    var keepAlive: Int?

    /// Whether a line ends with a bare LF.
    var hasBareLineFeed = false

    /// Whether a field is folded over several lines.
    var hasFolds = false
}

/// The head of an HTTP/1 response; a reference type, since several objects share it.
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

    /// How long the server keeps the connection, less a second for a request on its way; nil if the server does not say.
    var patience: TimeAmount? { summary.keepAlive.map { .seconds(Int64(max(0, $0 - 1))) } }

    var version: HTTPVersion { HTTPVersion(major: 1, minor: summary.minorVersion) }

    var isInformational: Bool { status < 200 }

    /// Returns the response that begins with this head.
    func response(from url: HTTPURL, body: ResponseBody) -> Response {
        Response(
            status: .init(code: status), version: version, section: section, body: body, url: url)
    }
}

/// The error for bytes that are not an HTTP/1 response, or exceed a limit.
struct ParseFailure: Error {
    var kind: SternaError.Kind
    var detail: String

    static func malformed(_ detail: String) -> ParseFailure {
        ParseFailure(kind: .malformedResponse, detail: "The response is not valid HTTP: \(detail)")
    }

    static func limit(_ detail: String) -> ParseFailure { ParseFailure(kind: .limitExceeded, detail: detail) }
}
