import NIOCore
import SternaCore
import SternaSerialization

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
