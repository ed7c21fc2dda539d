import NIOCore
import SternaCore
import SternaPlatform

/// Scans a response's head, or trailer fields, line by line as bytes arrive; each line is scanned once (RFC 9112, 4 and 5).
///
/// Lines of a head end with CR LF or a bare LF (RFC 9112, 2.2), lines of trailers with CR LF only. A CR anywhere else is an error.
struct HeadScanner {
    private(set) var summary = HeadSummary()
    private var lineStart = 0
    private var searched = 0
    private var fieldsStart = 0
    private var fieldCount = 0
    private var expectsStatusLine: Bool
    private var sawTransferEncoding = false
    private let limits: Limits
    private let isTrailers: Bool
    private let ignoresFraming: Bool

    init(limits: Limits, isTrailers: Bool = false, ignoresFraming: Bool = false) {
        self.limits = limits
        self.isTrailers = isTrailers
        self.ignoresFraming = ignoresFraming
        expectsStatusLine = !isTrailers
    }

    /// The range of the field lines in the given bytes, once `scan` has returned a length.
    var fieldLines: Range<Int> { fieldsStart..<max(fieldsStart, lineStart) }

    /// Scans bytes that begin with the head's first byte. Returns the length of the head with its empty line, or nil if more bytes
    /// are needed.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(ParseFailure) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        if expectsStatusLine { try Self.checkBeginning(bytes) }
        while searched < bytes.count {
            guard let found = memchr(base + searched, 0x0A, bytes.count - searched) else {
                searched = bytes.count
                break
            }
            let newline = UnsafeRawPointer(found) - base
            guard newline < limits.headBytes else { break }
            var end = newline
            if newline > lineStart, bytes[newline - 1] == 0x0D {
                end -= 1
            } else {
                guard !isTrailers else { throw .malformed("a trailer line ends without CR.") }
                summary.hasBareLineFeed = true
            }
            let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<end])
            searched = newline + 1
            if expectsStatusLine {
                try statusLine(line)
                expectsStatusLine = false
                fieldsStart = searched
            } else if line.isEmpty {
                return searched
            } else {
                fieldCount += 1
                guard fieldCount <= limits.fieldCount else {
                    throw .limit("The response has more than \(limits.fieldCount) fields.")
                }
                try fieldLine(line)
            }
            lineStart = searched
        }
        guard bytes.count < limits.headBytes else {
            throw .limit("The head of the response is longer than \(limits.headBytes) bytes.")
        }
        return nil
    }

    /// Rejects bytes that cannot become a status line without waiting for the line's end.
    private static func checkBeginning(_ bytes: UnsafeRawBufferPointer) throws(ParseFailure) {
        let expected: StaticString = "HTTP/1."
        for index in 0..<min(bytes.count, expected.utf8CodeUnitCount) where bytes[index] != expected.utf8Start[index] {
            throw .malformed("it does not begin with HTTP/1.")
        }
    }

    private mutating func statusLine(_ line: UnsafeRawBufferPointer) throws(ParseFailure) {
        guard line.count >= 12, Self.isDigit(line[7]), line[8] == 0x20 else {
            throw .malformed("its status line is cut short.")
        }
        summary.minorVersion = Int(line[7] - 0x30)
        var status = 0
        for index in 9..<12 {
            guard Self.isDigit(line[index]) else { throw .malformed("its status is not a number.") }
            status = status * 10 + Int(line[index] - 0x30)
        }
        guard status >= 100, line.count == 12 || line[12] == 0x20 else {
            throw .malformed("its status is not a number of three digits from 100 on.")
        }
        guard FieldSyntax.isValue(UnsafeRawBufferPointer(rebasing: line[min(13, line.count)...])) else {
            throw .malformed("its reason phrase has a control character.")
        }
        summary.status = status
    }

    private mutating func fieldLine(_ line: UnsafeRawBufferPointer) throws(ParseFailure) {
        var colon = 0
        while colon < line.count, FieldSyntax.isTokenByte(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
            if let first = line.first, first == 0x20 || first == 0x09 {
                throw .malformed("a header field is folded over two lines.")
            }
            throw .malformed("a header line is not a name and a value.")
        }
        guard FieldSyntax.isValue(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])) else {
            throw .malformed("a header field has a control character in its value.")
        }
        switch colon {
        case 14 where ignoresFraming, 17 where ignoresFraming: break
        case 14 where FieldText.equal(line, 14, "content-length"): try contentLength(FieldText.value(line, from: 15))
        case 17 where FieldText.equal(line, 17, "transfer-encoding"):
            try transferEncoding(FieldText.value(line, from: 18))
        case 10 where FieldText.equal(line, 10, "connection"): connection(FieldText.value(line, from: 11))
        case 10 where FieldText.equal(line, 10, "keep-alive"): keepAlive(FieldText.value(line, from: 11))
        default: break
        }
    }

    // A list that repeats one length is that length (RFC 9110, 8.6); anything else is an attack.
    private mutating func contentLength(_ value: UnsafeRawBufferPointer) throws(ParseFailure) {
        for digits in FieldText.Items(of: value) {
            guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy(Self.isDigit) else {
                throw .malformed("its Content-Length is not a number, or too large to be one.")
            }
            let length = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
            guard summary.contentLength == nil || summary.contentLength == length else {
                throw .malformed("it has two different Content-Length fields.")
            }
            summary.contentLength = length
        }
    }

    private mutating func transferEncoding(_ value: UnsafeRawBufferPointer) throws(ParseFailure) {
        guard !sawTransferEncoding, value.count == 7, FieldText.equal(value, 7, "chunked") else {
            throw .malformed("its Transfer-Encoding is not just “chunked”.")
        }
        sawTransferEncoding = true
        summary.isChunked = true
    }

    private mutating func connection(_ value: UnsafeRawBufferPointer) {
        for token in FieldText.Items(of: value) {
            if token.count == 5, FieldText.equal(token, 5, "close") { summary.connectionClose = true }
            if token.count == 10, FieldText.equal(token, 10, "keep-alive") { summary.connectionKeepAlive = true }
        }
    }

    // `timeout=5, max=100`; anything else is ignored (RFC 2068, 19.7.1.1).
    private mutating func keepAlive(_ value: UnsafeRawBufferPointer) {
        for parameter in FieldText.Items(of: value) {
            guard parameter.count > 8, parameter.count <= 14, FieldText.equal(parameter, 8, "timeout=") else {
                continue
            }
            let digits = parameter.dropFirst(8)
            guard digits.allSatisfy(Self.isDigit) else { continue }
            summary.keepAlive = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }

    /// Checks the fields that define the framing together, once the head is complete.
    func checkFraming() throws(ParseFailure) {
        guard summary.isChunked else { return }
        if summary.contentLength != nil { throw .malformed("it has both Content-Length and Transfer-Encoding.") }
        if summary.minorVersion == 0 { throw .malformed("it uses Transfer-Encoding in HTTP/1.0.") }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}

/// Helpers for the bytes of a field line.
enum FieldText {
    /// Whether the first `count` bytes equal a name given in lower case, ignoring case.
    static func equal(_ bytes: UnsafeRawBufferPointer, _ count: Int, _ lowercased: StaticString) -> Bool {
        for index in 0..<count {
            var byte = bytes[index]
            if byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") { byte |= 0x20 }
            if byte != lowercased.utf8Start[index] { return false }
        }
        return true
    }

    /// The items of a list, without surrounding white space; includes empty ones.
    struct Items: Sequence, IteratorProtocol {
        private var rest: UnsafeRawBufferPointer?

        init(of value: UnsafeRawBufferPointer) { rest = value }

        mutating func next() -> UnsafeRawBufferPointer? {
            guard let bytes = rest else { return nil }
            var comma = 0
            while comma < bytes.count, bytes[comma] != UInt8(ascii: ",") { comma += 1 }
            rest = comma < bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[(comma + 1)...]) : nil
            return trim(UnsafeRawBufferPointer(rebasing: bytes[..<comma]))
        }
    }

    static func value(_ line: UnsafeRawBufferPointer, from index: Int) -> UnsafeRawBufferPointer {
        trim(UnsafeRawBufferPointer(rebasing: line[index...]))
    }

    static func trim(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}
