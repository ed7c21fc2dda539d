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
        let bytes = rest
        var start = 0
        let found = bytes.withUnsafeReadableBytes { raw in
            Result { () throws(SternaError) in try find(in: raw, from: &start) }
        }
        rest.moveReaderIndex(forwardBy: start)
        guard let (length, end) = try found.get() else { return nil }
        let line = rest.readSlice(length: length)
        rest.moveReaderIndex(forwardBy: end)
        forget(length + end)
        return line
    }

    /// Passes the bytes of each complete line, without its end, to a closure, as long as it returns true. Throws like ``next()``.
    package mutating func readLines(while body: (UnsafeRawBufferPointer) -> Bool) throws(SternaError) {
        let bytes = rest
        var start = 0
        // The pointers stay within the closure, and `find` counts no bytes beyond the readable ones.
        let fault = bytes.withUnsafeReadableBytes { raw -> SternaError? in
            do throws(SternaError) {
                while let (length, end) = try find(in: raw, from: &start) {
                    let line = UnsafeRawBufferPointer(rebasing: raw[start..<start + length])
                    start += length + end
                    forget(length + end)
                    guard body(line) else { break }
                }
                return nil
            } catch {
                return error
            }
        }
        rest.moveReaderIndex(forwardBy: start)
        if let fault { throw fault }
    }

    /// Returns the last line, which has no end; nil if there is none. Throws `limitExceeded` like ``next()``.
    package mutating func last() throws(SternaError) -> Bytes? {
        guard rest.readableBytes > 0 else { return nil }
        defer { rest = Bytes() }
        guard rest.readableBytes <= limit else { throw tooLong }
        return rest
    }

    /// Returns the length of the line that begins at a position, and that of its end; nil if it is not complete. Moves the position
    /// behind an LF that belongs to the line before.
    private mutating func find(
        in raw: UnsafeRawBufferPointer, from start: inout Int
    ) throws(SternaError) -> (length: Int, end: Int)? {
        switch ends {
        case .lineFeeds:
            guard let length = lineFeed.distance(in: raw, from: start) else {
                // A CR at the end may belong to the line's end, whose LF has not arrived.
                let mayEnd = raw.count > start && raw[raw.count - 1] == carriageReturn.byte
                guard raw.count - start - (mayEnd ? 1 : 0) <= limit else { throw tooLong }
                return nil
            }
            let hasReturn = length > 0 && raw[start + length - 1] == carriageReturn.byte
            guard length - (hasReturn ? 1 : 0) <= limit else { throw tooLong }
            return hasReturn ? (length - 1, 2) : (length, 1)
        case .all:
            if skipsLineFeed, start < raw.count {
                skipsLineFeed = false
                if raw[start] == lineFeed.byte {
                    start += 1
                    forget(1)
                }
            }
            let feed = lineFeed.distance(in: raw, from: start)
            let carriage = carriageReturn.distance(in: raw, from: start)
            guard feed != nil || carriage != nil else {
                guard raw.count - start <= limit else { throw tooLong }
                return nil
            }
            let length = min(feed ?? .max, carriage ?? .max)
            guard length <= limit else { throw tooLong }
            skipsLineFeed = length == carriage
            return (length, 1)
        }
    }

    /// Leaves bytes out that were read.
    private mutating func forget(_ count: Int) {
        lineFeed.forget(count)
        carriageReturn.forget(count)
    }

    private var tooLong: SternaError {
        SternaError(
            .limitExceeded, phase: .read,
            "A line of the response is longer than \(ByteSize(Int64(limit))); read its bytes, or raise the limit.")
    }
}

/// The search for a byte in bytes that arrive piece by piece and are read from the front; none is compared twice.
private struct ByteSearch: Sendable {
    let byte: UInt8
    /// The distance to the first occurrence, or the number of bytes that are known to hold none.
    private var offset = 0
    private var isFound = false

    init(_ byte: UInt8) { self.byte = byte }

    /// Returns the distance from a position to the first occurrence.
    mutating func distance(in raw: UnsafeRawBufferPointer, from start: Int) -> Int? {
        if isFound { return offset }
        let first = start + offset
        // The search stays within the buffer.
        guard first < raw.count, let base = raw.baseAddress else { return nil }
        guard let found = memchr(base + first, CInt(byte), raw.count - first) else {
            offset = raw.count - start
            return nil
        }
        (offset, isFound) = (UnsafeRawPointer(found) - base - start, true)
        return offset
    }

    mutating func forget(_ count: Int) {
        if count > offset { (offset, isFound) = (0, false) } else { offset -= count }
    }
}
