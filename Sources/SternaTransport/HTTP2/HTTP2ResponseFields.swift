import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore

/// The head of a response as it came over HTTP/2 (RFC 9113, 8.2 and 8.3.2).
struct HTTP2ResponseFields {
    let status: Int
    let section: FieldSection
    let contentLength: Int64?

    var isInformational: Bool { status < 200 }

    /// - Parameter ignoresLength: what an answer to CONNECT says of a length says nothing (RFC 9110, 9.3.6).
    init(_ headers: HPACKHeaders, limits: Limits, ignoresLength: Bool = false) throws(ParseFailure) {
        let parts = try FieldParts(headers, limits: limits, ignoresLength: ignoresLength)
        guard let text = parts.status, let status = Self.status(text) else {
            throw .malformed("its status is no number of three digits.")
        }
        guard status != 101 else { throw .malformed("it changes the protocol (101), which HTTP/2 cannot.") }
        self.status = status
        section = FieldSection(checkedLines: parts.lines)
        contentLength = parts.contentLength
    }

    /// The fields behind a body.
    static func trailers(_ headers: HPACKHeaders, limits: Limits) throws(ParseFailure) -> HTTPFields {
        let parts = try FieldParts(headers, limits: limits, pseudoCount: 0)
        guard parts.status == nil else { throw .malformed("a status stands behind the body.") }
        return FieldSection(checkedLines: parts.lines).fields
    }

    private static func status(_ text: String) -> Int? {
        guard text.utf8.count == 3 else { return nil }
        var status = 0
        for byte in text.utf8 {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            status = 10 * status + Int(byte - 0x30)
        }
        return status >= 100 ? status : nil
    }

    /// The response this head begins.
    func response(from url: HTTPURL, body: ResponseBody) -> Response {
        Response(status: .init(code: status), version: .http2, section: section, body: body, url: url)
    }
}

/// What a section of fields consists of. The lines are written as they would stand in an HTTP/1 message, which is looked at
/// only where somebody asks.
private struct FieldParts {
    var lines = Bytes()
    var status: String?
    var contentLength: Int64?
    private let ignoresLength: Bool

    init(
        _ headers: HPACKHeaders, limits: Limits, pseudoCount: Int = 1, ignoresLength: Bool = false
    ) throws(ParseFailure) {
        self.ignoresLength = ignoresLength
        guard headers.count <= limits.fieldCount + pseudoCount else {
            throw .limit("The answer has more than \(limits.fieldCount) header fields.")
        }
        var size = 0
        for (name, value, _) in headers { size += name.utf8.count + value.utf8.count + 3 }
        guard size <= limits.headBytes else {
            throw .limit("The answer's header fields take more than \(limits.headBytes) bytes.")
        }
        lines.reserveCapacity(size)
        var isBehindPseudo = false
        for (name, value, _) in headers {
            if name.utf8.first == UInt8(ascii: ":") {
                guard !isBehindPseudo, status == nil, name == ":status" else {
                    throw .malformed("a pseudo-field is repeated, unknown, or out of place.")
                }
                status = value
            } else {
                isBehindPseudo = true
                try take(name, value)
            }
        }
    }

    private mutating func take(_ name: String, _ value: String) throws(ParseFailure) {
        guard write(name, Self.areNameBytes), !name.isEmpty else {
            throw .malformed("the name of a header field is no token in lower case.")
        }
        lines.writeInteger(UInt8(ascii: ":"))
        guard write(value, Self.areValueBytes) else {
            throw .malformed(
                "the value of a header field has a control character, or begins or ends with a blank.")
        }
        lines.writeInteger(UInt16(0x0D0A))
        switch name.utf8.count {
        case 7 where name == "upgrade", 10 where name == "connection" || name == "keep-alive",
            16 where name == "proxy-connection", 17 where name == "transfer-encoding":
            throw .malformed("it has a field of connections (\(name)).")
        case 14 where name == "content-length" && !ignoresLength: try takeLength(value)
        default: break
        }
    }

    // Writes a text whose bytes are as they must be.
    private mutating func write(_ text: String, _ check: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        var text = text
        // The bytes are looked at and copied while the string lends them.
        return text.withUTF8 { bytes in
            guard check(bytes) else { return false }
            lines.writeBytes(bytes)
            return true
        }
    }

    private static func areNameBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for byte in bytes where !isNameByte(byte) { return false }
        return true
    }

    private static func areValueBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first, let last = bytes.last else { return true }
        if isBlank(first) || isBlank(last) { return false }
        for byte in bytes where byte < 0x20 && byte != 0x09 || byte == 0x7F { return false }
        return true
    }

    // Several equal values are one (RFC 9110, 8.6).
    private mutating func takeLength(_ value: String) throws(ParseFailure) {
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            var digits = part
            while digits.utf8.first == 0x20 { digits = digits.dropFirst() }
            while digits.utf8.last == 0x20 { digits = digits.dropLast() }
            guard (1...19).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let length = Int64(digits), contentLength == nil || contentLength == length
            else { throw .malformed("its Content-Length is no number, or two.") }
            contentLength = length
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): false
        default: FieldSyntax.isTokenByte(byte)
        }
    }
}
