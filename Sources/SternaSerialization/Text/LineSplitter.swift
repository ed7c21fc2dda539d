import NIOCore
package import SternaCore

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
        switch ends {
        case .lineFeeds: try nextByLineFeed()
        case .all: try nextByAnyEnd()
        }
    }

    /// Returns the last line, which has no end; nil if there is none. Throws `limitExceeded` like ``next()``.
    package mutating func last() throws(SternaError) -> Bytes? {
        guard rest.readableBytes > 0 else { return nil }
        defer { rest = Bytes() }
        guard rest.readableBytes <= limit else { throw tooLong }
        return rest
    }

    private mutating func nextByLineFeed() throws(SternaError) -> Bytes? {
        let view = rest.readableBytesView
        guard let length = lineFeed.distance(in: view) else {
            // A CR at the end may belong to the line's end, whose LF has not arrived.
            guard view.count - (view.last == carriageReturn.byte ? 1 : 0) <= limit else { throw tooLong }
            return nil
        }
        guard var line = rest.readSlice(length: length) else { return nil }
        advance(by: 1, after: length)
        if line.readableBytesView.last == carriageReturn.byte { line.moveWriterIndex(to: line.writerIndex - 1) }
        guard line.readableBytes <= limit else { throw tooLong }
        return line
    }

    private mutating func nextByAnyEnd() throws(SternaError) -> Bytes? {
        if skipsLineFeed, let first = rest.readableBytesView.first {
            skipsLineFeed = false
            if first == lineFeed.byte { advance(by: 1, after: 0) }
        }
        let view = rest.readableBytesView
        let (feed, carriage) = (lineFeed.distance(in: view), carriageReturn.distance(in: view))
        guard feed != nil || carriage != nil else {
            guard view.count <= limit else { throw tooLong }
            return nil
        }
        let length = min(feed ?? .max, carriage ?? .max)
        guard length <= limit else { throw tooLong }
        let line = rest.readSlice(length: length)
        skipsLineFeed = length == carriage
        advance(by: 1, after: length)
        return line
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

    /// Returns the distance to the first occurrence.
    mutating func distance(in view: ByteBufferView) -> Int? {
        if isFound { return offset }
        guard let index = view.dropFirst(offset).firstIndex(of: byte) else {
            offset = view.count
            return nil
        }
        (offset, isFound) = (index - view.startIndex, true)
        return offset
    }

    mutating func consume(_ count: Int) {
        if count > offset { (offset, isFound) = (0, false) } else { offset -= count }
    }
}
