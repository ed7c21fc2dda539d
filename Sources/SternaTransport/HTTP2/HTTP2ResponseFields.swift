import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore

/// The head of a response over HTTP/2 (RFC 9113, 8.2 and 8.3.2).
struct HTTP2ResponseFields {
    let status: Int
    let section: FieldSection
    let contentLength: Int64?

    var isInformational: Bool { status < 200 }

    /// - Parameter ignoresLength: whether to ignore the length, which means nothing in a response to CONNECT (RFC 9110, 9.3.6).
    init(_ headers: HPACKHeaders, limits: Limits, ignoresLength: Bool = false) throws(ParseFailure) {
        let parts = try FieldParts(headers, limits: limits, ignoresLength: ignoresLength)
        guard let text = parts.status, let status = Self.status(text) else {
            throw .malformed("its status is not a number of three digits.")
        }
        guard status != 101 else { throw .malformed("it switches protocols (101), which HTTP/2 forbids.") }
        self.status = status
        section = FieldSection(checkedLines: parts.lines)
        contentLength = parts.contentLength
    }

    /// Returns the trailer fields of a response.
    static func trailers(_ headers: HPACKHeaders, limits: Limits) throws(ParseFailure) -> HTTPFields {
        let parts = try FieldParts(headers, limits: limits, pseudoCount: 0)
        guard parts.status == nil else { throw .malformed("a status follows the body.") }
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

    /// Returns the response that this head begins.
    func response(from url: HTTPURL, body: ResponseBody) -> Response {
        Response(status: .init(code: status), version: .http2, section: section, body: body, url: url)
    }
}

/// The parts of a field section. The lines are written as in an HTTP/1 message, which is parsed only on demand.
private struct FieldParts {
    private(set) var lines = Bytes()
    private(set) var status: String?
    private(set) var contentLength: Int64?

    init(
        _ headers: HPACKHeaders, limits: Limits, pseudoCount: Int = 1, ignoresLength: Bool = false
    ) throws(ParseFailure) {
        guard headers.count <= limits.fieldCount + pseudoCount else {
            throw .limit("The response has more than \(limits.fieldCount) header fields.")
        }
        // One write, since many small ones would cost more than the bytes themselves. Most sections fit at once.
        var room = 512
        var lines = Bytes()
        defer { self.lines = lines }
        while true {
            var failure: ParseFailure?
            var size = 0
            var isFull = false
            lines.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { memory in
                var text = TextWriter(memory)
                do throws(ParseFailure) {
                    size = try write(headers, limits, ignoresLength, into: &text)
                } catch {
                    failure = error
                    return 0
                }
                isFull = text.isFull
                return isFull ? 0 : text.count
            }
            if let failure { throw failure }
            guard isFull else { return }
            room = size
            (status, contentLength) = (nil, nil)
        }
    }

    // Returns the number of bytes that the lines take.
    private mutating func write(
        _ headers: HPACKHeaders, _ limits: Limits, _ ignoresLength: Bool, into text: inout TextWriter
    ) throws(ParseFailure) -> Int {
        var size = 0
        var isBehindPseudo = false
        for (name, value, _) in headers {
            size += name.utf8.count + value.utf8.count + 3
            guard size <= limits.headBytes else {
                throw .limit("The response's header fields take more than \(limits.headBytes) bytes.")
            }
            if name.utf8.first == UInt8(ascii: ":") {
                guard !isBehindPseudo, status == nil, name == ":status" else {
                    throw .malformed("a pseudo-field is repeated, unknown, or out of place.")
                }
                status = value
            } else {
                isBehindPseudo = true
                try write(name, value, into: &text)
                try inspect(name, value, ignoresLength)
            }
        }
        return size
    }

    private func write(_ name: String, _ value: String, into text: inout TextWriter) throws(ParseFailure) {
        guard text.put(name, where: FieldSyntax.isLowercaseToken) else {
            throw .malformed("the name of a header field is not a lowercase token.")
        }
        text.put(UInt8(ascii: ":"))
        // White space around a value makes a response malformed (RFC 9113, 8.2.1). Servers send it, and the reader of the lines
        // leaves it out, as curl does.
        guard text.put(value, where: FieldSyntax.isValue) else {
            throw .malformed("the value of a header field has a control character.")
        }
        text.putLineEnd()
    }

    private mutating func inspect(
        _ name: String, _ value: String, _ ignoresLength: Bool
    ) throws(ParseFailure) {
        switch name.utf8.count {
        case 7 where name == "upgrade", 10 where name == "connection" || name == "keep-alive",
            16 where name == "proxy-connection", 17 where name == "transfer-encoding":
            throw .malformed("it has the connection-specific field “\(name)”.")
        case 14 where name == "content-length":
            guard value.utf8.first.map(Self.isBlank) != true, value.utf8.last.map(Self.isBlank) != true else {
                throw Self.noLength
            }
            if !ignoresLength { try takeLength(value) }
        default: break
        }
    }

    // Several equal values count as one (RFC 9110, 8.6).
    private mutating func takeLength(_ value: String) throws(ParseFailure) {
        let known = contentLength
        let length = value.utf8.withContiguousStorageIfAvailable { Self.length($0[...], known) }
        guard let length = length ?? Self.length(Array(value.utf8)[...], known) else { throw Self.noLength }
        contentLength = length
    }

    // Returns nil if one of the values is not a number, or differs from the known one.
    private static func length(_ value: some RandomAccessCollection<UInt8>, _ known: Int64?) -> Int64? {
        var known = known
        var rest = value[...]
        while true {
            let part = rest.prefix { $0 != UInt8(ascii: ",") }
            guard let length = number(part), known == nil || known == length else { return nil }
            known = length
            rest = rest.dropFirst(part.count)
            guard !rest.isEmpty else { return known }
            rest = rest.dropFirst()
        }
    }

    private static func number(_ part: some RandomAccessCollection<UInt8>) -> Int64? {
        var digits = part[...]
        while digits.first == 0x20 { digits = digits.dropFirst() }
        while digits.last == 0x20 { digits = digits.dropLast() }
        guard !digits.isEmpty, digits.count <= 19 else { return nil }
        var number: Int64 = 0
        for byte in digits {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tenfold.addingReportingOverflow(Int64(byte - 0x30))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }

    private static var noLength: ParseFailure {
        .malformed("its Content-Length is not a number, or its values differ.")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
