import HTTPTypes
import NIOCore
import SternaCore

/// Parses the bytes of an HTTP/1 connection into the parts of responses (RFC 9112); a value without I/O.
///
/// The parser is strict except for leniencies that servers need and curl, browsers and URLSession grant. Lines of a head may end
/// with a bare LF, after which the connection is not reused, and fields that define no framing may be folded. Blanks may follow a
/// chunk size. `identity` (RFC 2616, 3.6) counts as no transfer coding: the body ends with the connection.
///
/// Call `append` with received bytes, then `next` until it returns nil. After `end` the parser waits for `begin`; bytes left over
/// then belong to no response.
struct ResponseParser {
    /// A part of a response.
    enum Event {
        case informational(ResponseHead)
        case head(ResponseHead)
        case body(Bytes)
        case end(trailers: HTTPFields?)
    }

    private enum State {
        case idle
        case head
        case noBody
        case fixed(remaining: Int64)
        case chunkLine
        case chunk(remaining: Int64)
        case chunkEnd
        case trailers
        case untilClose
    }

    private let limits: Limits
    private var state = State.idle
    private var buffer = Bytes()
    private var scanner: HeadScanner

    /// Whether the current or last request is a HEAD.
    private(set) var isHeadRequest = false

    /// Whether the response has no content, whatever its fields say: to HEAD, and with 204 and 304.
    private(set) var isContentless = false
    private var ignoresFraming = false
    private var mayBeSwitched = false
    private var interimCount = InterimCount()

    /// Whether an interim response had a line that ends with a bare LF.
    private var sawBareLineFeed = false
    private var sawInterim = false

    /// Whether any byte has arrived since `begin`.
    private(set) var hasReceived = false

    /// Whether the connection may be used again once the response has ended.
    private(set) var isPersistent = false

    init(limits: Limits) {
        self.limits = limits
        scanner = HeadScanner(limits: limits)
    }

    /// Whether a valid status line has arrived since `begin`.
    var hasStatusLine: Bool {
        guard case .head = state else { return true }
        return sawInterim || scanner.hasStatusLine
    }

    /// Whether there are bytes that belong to no response.
    var hasLeftover: Bool { buffer.readableBytes > 0 }

    /// Removes and returns the bytes that belong to no response.
    mutating func takeLeftover() -> Bytes {
        defer { buffer = Bytes() }
        return buffer
    }

    /// The number of body bytes still to come, as far as known; nil if the body lasts until the connection ends, and outside of
    /// bodies.
    var remaining: Int64? {
        switch state {
        case .fixed(let remaining): remaining
        case .chunkLine, .chunkEnd, .trailers: 0
        case .chunk(let remaining): remaining
        default: nil
        }
    }

    /// The length of the body, if the head states it.
    private(set) var bodyLength: Int64?

    /// Expects a response.
    ///
    /// - Parameters:
    ///   - ignoresFraming: whether to ignore fields that define a length, as for CONNECT (RFC 9110, 9.3.6).
    ///   - followsProgress: whether 104s that confirm more and more content do not count against the limit (`InterimCount`).
    ///   - mayBeSwitched: whether the request asks for another protocol, so that 101 is a final response (RFC 9110, 7.8).
    mutating func begin(
        isHeadRequest: Bool, ignoresFraming: Bool = false, followsProgress: Bool = false, mayBeSwitched: Bool = false
    ) {
        self.isHeadRequest = isHeadRequest
        self.ignoresFraming = ignoresFraming
        self.mayBeSwitched = mayBeSwitched
        state = .head
        scanner = HeadScanner(limits: limits, ignoresFraming: ignoresFraming)
        interimCount = InterimCount(followsProgress: followsProgress)
        sawBareLineFeed = false
        sawInterim = false
        hasReceived = false
        isPersistent = false
        isContentless = false
        bodyLength = nil
    }

    /// Appends received bytes.
    mutating func append(_ bytes: Bytes) {
        if bytes.readableBytes > 0 { hasReceived = true }
        buffer.join(bytes.withoutSurplus)
    }

    /// Returns the next part, or nil if more bytes are needed.
    mutating func next() throws(ParseFailure) -> Event? {
        while true {
            switch state {
            case .idle: return nil
            case .head:
                guard let head = try nextHead() else { return nil }
                if head.isInformational, !(head.status == 101 && mayBeSwitched) {
                    try countInformational(head)
                    return .informational(head)
                }
                chooseBody(head)
                return .head(head)
            case .noBody: return end(nil)
            case .fixed(let remaining):
                if remaining == 0 { return end(nil) }
                guard let piece = take(upTo: remaining) else { return nil }
                state = .fixed(remaining: remaining - Int64(piece.readableBytes))
                return .body(piece)
            case .chunkLine:
                guard let size = try nextChunkSize() else { return nil }
                if size == 0 {
                    scanner = HeadScanner(limits: limits, isTrailers: true)
                    state = .trailers
                } else {
                    state = .chunk(remaining: size)
                }
            case .chunk(let remaining):
                guard let piece = take(upTo: remaining) else { return nil }
                let left = remaining - Int64(piece.readableBytes)
                state = left == 0 ? .chunkEnd : .chunk(remaining: left)
                return .body(piece)
            case .chunkEnd:
                guard try takeLineEnd() else { return nil }
                state = .chunkLine
            case .trailers:
                guard let section = try nextSection() else { return nil }
                let fields = section.fields
                return end(fields.isEmpty ? nil : fields)
            case .untilClose:
                guard let piece = take(upTo: .max) else { return nil }
                return .body(piece)
            }
        }
    }

    /// Handles the end of the connection: returns the end of a body that lasts until then, or nil if the response is incomplete.
    mutating func finish() -> Event? {
        if case .untilClose = state { return end(nil) }
        return nil
    }

    private mutating func end(_ trailers: HTTPFields?) -> Event {
        state = .idle
        // The buffer is not kept, since the response may still refer to its memory.
        if buffer.readableBytes == 0 { buffer = Bytes() }
        return .end(trailers: trailers)
    }

    // MARK: Heads

    private mutating func nextHead() throws(ParseFailure) -> ResponseHead? {
        guard let section = try nextSection() else { return nil }
        try scanner.checkFraming()
        let head = ResponseHead(summary: scanner.summary, section: section)
        scanner = HeadScanner(limits: limits, ignoresFraming: ignoresFraming)
        return head
    }

    private mutating func nextSection() throws(ParseFailure) -> FieldSection? {
        guard buffer.readableBytes > 0 else { return nil }
        var scanner = scanner
        var failure: ParseFailure?
        let length = buffer.withUnsafeReadableBytes { bytes -> Int? in
            do throws(ParseFailure) {
                return try scanner.scan(bytes)
            } catch {
                failure = error
                return nil
            }
        }
        self.scanner = scanner
        if let failure { throw failure }
        guard let length else { return nil }
        let lines = scanner.fieldLines
        // Keeps the text before the fields, for the reason phrase.
        var section = buffer.getSlice(at: buffer.readerIndex, length: lines.upperBound) ?? Bytes()
        buffer.moveReaderIndex(forwardBy: length)
        if scanner.summary.hasFolds { section = Self.unfolded(section) }
        section.moveReaderIndex(forwardBy: min(lines.lowerBound, section.readableBytes))
        return lines.lowerBound == 0
            ? FieldSection(checkedLines: section) : FieldSection(checkedLinesBehindStatusLine: section)
    }

    // Replaces the end of each line that the next one continues, with the blanks around it, by a space (RFC 9112, 5.2).
    private static func unfolded(_ section: Bytes) -> Bytes {
        let bytes = section.readableBytesView
        var joined: [UInt8] = []
        joined.reserveCapacity(bytes.count)
        var isInFold = false
        for index in bytes.indices {
            let byte = bytes[index]
            let isBlank = FieldText.isBlank(byte)
            if isInFold, isBlank { continue }
            isInFold = false
            if byte == 0x0A, index + 1 < bytes.endIndex, FieldText.isBlank(bytes[index + 1]) {
                while let last = joined.last, last == 0x0D || FieldText.isBlank(last) { joined.removeLast() }
                joined.append(0x20)
                isInFold = true
            } else {
                joined.append(byte)
            }
        }
        return Bytes(bytes: joined)
    }

    private mutating func countInformational(_ head: ResponseHead) throws(ParseFailure) {
        sawInterim = true
        if head.summary.hasBareLineFeed { sawBareLineFeed = true }
        guard interimCount.admits(head.status, head.section, limit: limits.informationalCount) else {
            throw .limit(
                "The server sent more than \(limits.informationalCount) interim responses before its final response.")
        }
        guard head.status != 101 else {
            throw .malformed("it switches to a protocol that the request did not ask for.")
        }
    }

    /// Chooses the framing of the body (RFC 9112, 6.3).
    private mutating func chooseBody(_ head: ResponseHead) {
        // Other recipients may split such lines differently, so the bytes that follow may belong to another message.
        isPersistent = head.isPersistent && !head.summary.hasBareLineFeed && !sawBareLineFeed
        if head.status == 101 {
            // What follows is the other protocol's.
            isPersistent = false
            state = .untilClose
        } else if isHeadRequest || head.status == 204 || head.status == 304 {
            state = .noBody
            isContentless = true
        } else if head.isChunked {
            state = .chunkLine
        } else if let length = head.contentLength {
            bodyLength = length
            state = .fixed(remaining: length)
        } else {
            isPersistent = false
            state = .untilClose
        }
    }

    // MARK: Bodies

    private mutating func take(upTo limit: Int64) -> Bytes? {
        let count = Int(min(Int64(buffer.readableBytes), limit))
        guard count > 0 else { return nil }
        if count == buffer.readableBytes {
            defer { buffer = Bytes() }
            return buffer
        }
        return buffer.readSlice(length: count)
    }

    private mutating func takeLineEnd() throws(ParseFailure) -> Bool {
        guard let first: UInt8 = buffer.getInteger(at: buffer.readerIndex) else { return false }
        guard first == 0x0D else { throw .malformed("a chunk is longer than its size.") }
        guard let second: UInt8 = buffer.getInteger(at: buffer.readerIndex + 1) else { return false }
        guard second == 0x0A else { throw .malformed("a chunk does not end with CR LF.") }
        buffer.moveReaderIndex(forwardBy: 2)
        return true
    }

    /// Parses the size before a chunk; skips its extensions and the blanks that old servers pad it with (RFC 9112, 7.1.1).
    private mutating func nextChunkSize() throws(ParseFailure) -> Int64? {
        var size: Int64 = 0
        var digits = 0
        var index = 0
        var inExtension = false
        var sawBlank = false
        var failure: ParseFailure?
        let limit = limits.chunkLineBytes
        let length = buffer.withUnsafeReadableBytes { bytes -> Int? in
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if index > limit {
                    failure = .limit("The line before a chunk is longer than \(limit) bytes.")
                    return nil
                }
                if byte == 0x0D {
                    guard index < bytes.count else { return nil }
                    guard bytes[index] == 0x0A, digits > 0 else {
                        failure = .malformed("the line before a chunk is not a size and CR LF.")
                        return nil
                    }
                    return index + 1
                }
                if inExtension {
                    guard FieldSyntax.isValueByte(byte) else {
                        failure = .malformed("a chunk extension has a control character.")
                        return nil
                    }
                } else if !sawBlank, let digit = Self.hexDigit(byte), digits < 15 {
                    size = size << 4 | Int64(digit)
                    digits += 1
                } else if digits > 0, byte == UInt8(ascii: ";") {
                    inExtension = true
                } else if digits > 0, byte == 0x20 || byte == 0x09 {
                    sawBlank = true
                } else {
                    failure = .malformed("a chunk size is not a hexadecimal number, or is far too large.")
                    return nil
                }
            }
            return nil
        }
        if let failure { throw failure }
        guard let length else { return nil }
        buffer.moveReaderIndex(forwardBy: length)
        return size
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
        default: nil
        }
    }
}
