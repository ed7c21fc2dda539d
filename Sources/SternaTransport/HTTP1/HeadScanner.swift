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

    /// Where the last folded line ended; its field may be continued again.
    private var foldEnd = -1
    private let limits: Limits
    private let isTrailers: Bool
    private let ignoresFraming: Bool

    init(limits: Limits, isTrailers: Bool = false, ignoresFraming: Bool = false) {
        self.limits = limits
        self.isTrailers = isTrailers
        self.ignoresFraming = ignoresFraming
        expectsStatusLine = !isTrailers
    }

    /// Whether the status line has been read.
    var hasStatusLine: Bool { !expectsStatusLine }

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
                try fieldLine(line, behind: bytes)
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
            // An alert is the first record of a TLS server that receives HTTP (RFC 8446, 5.1).
            let isAlert = bytes[0] == 0x15
            throw .malformed(isAlert ? "it begins with TLS, not with HTTP/1." : "it does not begin with HTTP/1.")
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

    private mutating func fieldLine(
        _ line: UnsafeRawBufferPointer, behind bytes: UnsafeRawBufferPointer
    ) throws(ParseFailure) {
        var colon = 0
        while colon < line.count, FieldSyntax.isTokenByte(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
            if let first = line.first, FieldText.isBlank(first) { return try foldedLine(line, behind: bytes) }
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

    // A line that continues the field before it (RFC 9112, 5.2), which must not be one that defines the framing or the
    // connection's fate: recipients differ on what such a field says.
    @inline(never)
    private mutating func foldedLine(
        _ line: UnsafeRawBufferPointer, behind bytes: UnsafeRawBufferPointer
    ) throws(ParseFailure) {
        guard !isTrailers, lineStart > fieldsStart else {
            throw .malformed("a line that begins with a blank continues no field.")
        }
        guard FieldSyntax.isValue(line) else {
            throw .malformed("a header field has a control character in its value.")
        }
        if foldEnd != lineStart {
            var start = lineStart - 1
            while start > fieldsStart, bytes[start - 1] != 0x0A { start -= 1 }
            let field = UnsafeRawBufferPointer(rebasing: bytes[start..<lineStart])
            let colon = field.firstIndex(of: UInt8(ascii: ":")) ?? 0
            if Self.framingFields.contains(where: { colon == $0.utf8CodeUnitCount && FieldText.equal(field, colon, $0) }
            ) {
                throw .malformed("a field that defines the framing or the connection is folded over two lines.")
            }
            // Its value was read up to the fold.
            if colon == 10, FieldText.equal(field, 10, "keep-alive") { summary.keepAlive = nil }
        }
        foldEnd = searched
        summary.hasFolds = true
    }

    private static let framingFields: [StaticString] = ["content-length", "transfer-encoding", "connection"]

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

    // Accepts one coding; empty list elements are ignored (RFC 9110, 5.6.1).
    private mutating func transferEncoding(_ value: UnsafeRawBufferPointer) throws(ParseFailure) {
        var only: UnsafeRawBufferPointer?
        for item in FieldText.Items(of: value) where !item.isEmpty {
            guard only == nil else { throw Self.wrongCoding }
            only = item
        }
        guard !sawTransferEncoding, let coding = only else { throw Self.wrongCoding }
        sawTransferEncoding = true
        if coding.count == 7, FieldText.equal(coding, 7, "chunked") {
            summary.isChunked = true
        } else if coding.count == 8, FieldText.equal(coding, 8, "identity") {
            // The body ends with the connection, which is not reused after a response without a body either.
            summary.connectionClose = true
        } else {
            throw Self.wrongCoding
        }
    }

    private static var wrongCoding: ParseFailure {
        .malformed("its Transfer-Encoding is neither just “chunked” nor just “identity”.")
    }

    private mutating func connection(_ value: UnsafeRawBufferPointer) {
        for token in FieldText.Items(of: value) {
            if token.count == 5, FieldText.equal(token, 5, "close") { summary.connectionClose = true }
            if token.count == 10, FieldText.equal(token, 10, "keep-alive") { summary.connectionKeepAlive = true }
        }
    }

    // Reads the time-out of a value such as `timeout=5, max=100`; other parameters are ignored (RFC 2068, 19.7.1.1).
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
        guard sawTransferEncoding else { return }
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
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
