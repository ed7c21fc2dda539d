import NIOCore
package import SternaCore
import SternaPlatform

/// Splits bytes into lines as they arrive. The cost is linear in the bytes, however they are split.
package struct LineSplitter: Sendable {
    /// What ends a line.
    package enum Ends: Sendable {
        /// LF or CRLF.
        case lineFeeds
        /// LF, CRLF or CR. A line that a CR ends is complete when the CR arrives; an LF right after it is left out.
        case all
    }

    /// The maximum length of a line in bytes, without its end.
    var limit: Int
    private let ends: Ends
    private var rest = Bytes()
    private var lineFeed = ByteSearch(UInt8(ascii: "\n"))
    private var carriageReturn = ByteSearch(UInt8(ascii: "\r"))
    /// Whether an LF, if it is the next byte, belongs to the end of the previous line.
    private var skipsLineFeed = false

    package init(limit: Int, ends: Ends = .lineFeeds) { (self.limit, self.ends) = (limit, ends) }

    /// Appends bytes.
    package mutating func add(_ bytes: Bytes) {
        guard rest.readableBytes > 0 else {
            rest = bytes
            (lineFeed, carriageReturn) = (ByteSearch(lineFeed.byte), ByteSearch(carriageReturn.byte))
            return
        }
        rest.discardReadBytes()
        rest.writeImmutableBuffer(bytes)
    }

    /// Returns the next complete line without its end; nil if there is none yet. Throws `limitExceeded` for a line that is longer
    /// than the limit.
    package mutating func next() throws(SternaError) -> Bytes? {
        guard let (length, end) = try find() else { return nil }
        let line = rest.readSlice(length: length)
        advance(by: end, after: length)
        return line
    }

    /// Passes the bytes of the next complete line, without its end, to a closure and returns its result; nil if there is none yet.
    /// Throws like ``next()``.
    package mutating func next<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(SternaError) -> Result? {
        guard let (length, end) = try find() else { return nil }
        // The pointer stays within the closure, and `find` counts at most the readable bytes.
        let result = rest.withUnsafeReadableBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        rest.moveReaderIndex(forwardBy: length)
        advance(by: end, after: length)
        return result
    }

    /// Returns the last line, which has no end; nil if there is none. Throws `limitExceeded` like ``next()``.
    package mutating func last() throws(SternaError) -> Bytes? {
        guard rest.readableBytes > 0 else { return nil }
        defer { rest = Bytes() }
        guard rest.readableBytes <= limit else { throw tooLong }
        return rest
    }

    /// Returns the length of the next line, and that of its end; nil if it is not complete.
    private mutating func find() throws(SternaError) -> (length: Int, end: Int)? {
        switch ends {
        case .lineFeeds: try findLineFeed()
        case .all: try findAnyEnd()
        }
    }

    private mutating func findLineFeed() throws(SternaError) -> (length: Int, end: Int)? {
        guard let length = lineFeed.distance(in: rest) else {
            // A CR at the end may belong to the line's end, whose LF has not arrived.
            guard rest.readableBytes - (endsWithReturn(rest.readableBytes) ? 1 : 0) <= limit else { throw tooLong }
            return nil
        }
        let hasReturn = endsWithReturn(length)
        guard length - (hasReturn ? 1 : 0) <= limit else { throw tooLong }
        return hasReturn ? (length - 1, 2) : (length, 1)
    }

    /// Whether the last one of so many bytes is a CR.
    private func endsWithReturn(_ length: Int) -> Bool {
        length > 0 && rest.getInteger(at: rest.readerIndex + length - 1) == carriageReturn.byte
    }

    private mutating func findAnyEnd() throws(SternaError) -> (length: Int, end: Int)? {
        if skipsLineFeed, let first: UInt8 = rest.getInteger(at: rest.readerIndex), rest.readableBytes > 0 {
            skipsLineFeed = false
            if first == lineFeed.byte { advance(by: 1, after: 0) }
        }
        let (feed, carriage) = (lineFeed.distance(in: rest), carriageReturn.distance(in: rest))
        guard feed != nil || carriage != nil else {
            guard rest.readableBytes <= limit else { throw tooLong }
            return nil
        }
        let length = min(feed ?? .max, carriage ?? .max)
        guard length <= limit else { throw tooLong }
        skipsLineFeed = length == carriage
        return (length, 1)
    }

    /// Leaves out bytes after those that were read.
    private mutating func advance(by count: Int, after length: Int) {
        rest.moveReaderIndex(forwardBy: count)
        lineFeed.consume(length + count)
        carriageReturn.consume(length + count)
    }

    private var tooLong: SternaError {
        SternaError(
            .limitExceeded, phase: .read,
            "A line of the response is longer than \(ByteSize(Int64(limit))); read its bytes, or raise the limit.")
    }
}

/// The search for a byte in bytes that arrive piece by piece and are consumed from the front; none is compared twice.
private struct ByteSearch: Sendable {
    let byte: UInt8
    /// The distance to the first occurrence, or the number of bytes that are known to hold none.
    private var offset = 0
    private var isFound = false

    init(_ byte: UInt8) { self.byte = byte }

    /// Returns the distance to the first occurrence in the readable bytes.
    mutating func distance(in bytes: Bytes) -> Int? {
        if isFound { return offset }
        let found = bytes.withUnsafeReadableBytes { raw -> Int? in
            // `offset` counts bytes that were readable before, so the search stays within the buffer.
            guard let base = raw.baseAddress, offset < raw.count else { return nil }
            return memchr(base + offset, CInt(byte), raw.count - offset).map { UnsafeRawPointer($0) - base }
        }
        (offset, isFound) = (found ?? bytes.readableBytes, found != nil)
        return found
    }

    mutating func consume(_ count: Int) {
        if count > offset { (offset, isFound) = (0, false) } else { offset -= count }
    }
}
