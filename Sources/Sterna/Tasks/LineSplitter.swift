import NIOCore
import SternaCore

/// Splits bytes into lines as they arrive; a line ends with LF or CRLF, and the last one with the bytes.
struct LineSplitter: Sendable {
    /// The maximum length of a line in bytes.
    let limit: Int
    private var rest = Bytes()

    // The bytes of `rest` that are known to hold no line end.
    private var searched = 0

    init(limit: Int) { self.limit = limit }

    /// Appends bytes.
    mutating func add(_ bytes: Bytes) {
        rest.discardReadBytes()
        var bytes = bytes
        rest.writeBuffer(&bytes)
    }

    /// Returns the next complete line without its end; nil if there is none yet. Throws `limitExceeded` for a line that is longer
    /// than the limit.
    mutating func next() throws(SternaError) -> Bytes? {
        let view = rest.readableBytesView
        guard let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            searched = view.count
            // A CR at the end may belong to the line's end, whose LF has not arrived.
            let length = view.last == UInt8(ascii: "\r") ? searched - 1 : searched
            guard length <= limit else { throw tooLong }
            return nil
        }
        searched = 0
        let length = end - view.startIndex
        guard var line = rest.readSlice(length: length) else { return nil }
        rest.moveReaderIndex(forwardBy: 1)
        if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
        guard line.readableBytes <= limit else { throw tooLong }
        return line
    }

    /// Returns the last line, which has no end; nil if there is none. Throws `limitExceeded` like ``next()``.
    mutating func last() throws(SternaError) -> Bytes? {
        guard rest.readableBytes > 0 else { return nil }
        defer { rest = Bytes() }
        guard rest.readableBytes <= limit else { throw tooLong }
        return rest
    }

    private var tooLong: SternaError {
        SternaError(
            .limitExceeded, phase: .read,
            "A line of the response is longer than \(ByteSize(Int64(limit))); read its bytes, or raise the limit.")
    }
}

/// Reads the lines of bytes that arrive piece by piece.
struct LineReader<Pieces: AsyncIteratorProtocol> where Pieces.Element == Bytes {
    private var pieces: Pieces
    private var splitter: LineSplitter
    private var isOver = false

    init(_ pieces: Pieces, limit: Int) { (self.pieces, splitter) = (pieces, LineSplitter(limit: limit)) }

    /// Returns the next line without its end; nil after the last. Throws `limitExceeded` for a line that is longer than the limit.
    mutating func next() async throws -> Bytes? {
        while !isOver {
            if let line = try splitter.next() { return line }
            if let more = try await pieces.next() { splitter.add(more) } else { isOver = true }
        }
        return try splitter.last()
    }
}

extension Bytes {
    /// Whether a line has nothing but spaces and tabs.
    var isBlank: Bool { readableBytesView.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
}
