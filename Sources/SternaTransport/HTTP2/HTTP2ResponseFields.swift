import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore

/// The head of a response as it came over HTTP/2 (RFC 9113, 8.3.2).
///
/// That names are tokens in lower case, that pseudo-fields come first and once, and that there are none of a connection, was
/// seen to by the library that decodes the frames.
struct HTTP2ResponseFields {
    let status: Int
    let section: FieldSection
    let contentLength: Int64?

    var isInformational: Bool { status < 200 }

    init(_ headers: HPACKHeaders, limits: Limits) throws(ParseFailure) {
        var status: Int?
        var contentLength: Int64?
        let section = try Self.lines(headers, limits: limits) { (name, value) throws(ParseFailure) in
            switch name {
            case ":status": status = Self.status(value)
            case "content-length": contentLength = Self.length(value)
            default: break
            }
        }
        guard let status else { throw .malformed("its status is no number of three digits.") }
        guard status != 101 else { throw .malformed("it changes the protocol (101), which HTTP/2 cannot.") }
        self.status = status
        self.section = section
        self.contentLength = contentLength
    }

    /// The fields behind a body.
    static func trailers(_ headers: HPACKHeaders, limits: Limits) throws(ParseFailure) -> HTTPFields {
        try lines(headers, limits: limits) { (_, _) throws(ParseFailure) in }.fields
    }

    // The lines are written as they would stand in an HTTP/1 message, which is looked at only where somebody asks.
    private static func lines(
        _ headers: HPACKHeaders, limits: Limits, _ look: (String, String) throws(ParseFailure) -> Void
    ) throws(ParseFailure) -> FieldSection {
        guard headers.count <= limits.fieldCount + 1 else {
            throw .limit("The answer has more than \(limits.fieldCount) header fields.")
        }
        var size = 0
        for (name, value, _) in headers { size += name.utf8.count + value.utf8.count + 3 }
        guard size <= limits.headBytes else {
            throw .limit("The answer's header fields take more than \(limits.headBytes) bytes.")
        }
        var lines = Bytes()
        lines.reserveCapacity(size)
        for (name, value, _) in headers {
            guard value.utf8.allSatisfy(HeadScanner.isValueByte) else {
                throw .malformed("a header field has a control character in its value.")
            }
            try look(name, value)
            if name.utf8.first == UInt8(ascii: ":") { continue }
            lines.writeString(name)
            lines.writeStaticString(":")
            lines.writeString(value)
            lines.writeStaticString("\r\n")
        }
        return FieldSection(checkedLines: lines)
    }

    private static func status(_ text: String) -> Int? {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let status = Int(text),
            status >= 100
        else { return nil }
        return status
    }

    // Several equal values are one (RFC 9110, 8.6); that they are equal, and right, was seen to already.
    private static func length(_ text: String) -> Int64? {
        text.split(separator: ",").first.flatMap { Int64($0.drop { $0 == " " }.prefix { $0 != " " }) }
    }

    /// The response this head begins.
    func response(to request: Request, body: ResponseBody) -> Response {
        Response(status: .init(code: status), version: .http2, section: section, body: body, url: request.url)
    }
}
