import DequeModule
import NIOCore
import SternaCore

/// The part of a shared body that some reader has not read yet: a value without I/O.
struct SharedWindow: Sendable {
    /// A reader's position in the body.
    struct Position: Sendable, Hashable {
        /// The number of the next piece.
        var piece = 0

        /// The number of bytes before it.
        var bytes: Int64 = 0
    }

    /// What the transfer does next.
    enum Demand: Sendable, Hashable {
        /// Nothing: no reader waits for bytes that have not arrived.
        case rest
        /// Read the next piece.
        case read
        /// Wait for the slowest reader: the window is full.
        case blocked
    }

    /// The number of bytes that the first reader may be ahead of the last before it waits.
    let limit: Int64

    /// The length of the whole body, if it is known.
    private let length: Int64?
    private var pieces = Deque<Bytes>()
    private var first = 0

    /// The number of bytes that have arrived.
    private(set) var received: Int64 = 0

    init(limit: Int64, length: Int64? = nil) { (self.limit, self.length) = (limit, length) }

    /// Whether no piece is kept.
    var isEmpty: Bool { pieces.isEmpty }

    /// The number of the next piece to arrive.
    var end: Int { first + pieces.count }

    /// The number of bytes that are kept.
    var kept: Int { pieces.reduce(0) { $0 + $1.readableBytes } }

    mutating func append(_ piece: Bytes) {
        received += Int64(piece.readableBytes)
        pieces.append(piece.withoutSurplus)
    }

    /// Returns the piece at a position, and moves the position behind it; nil if it has not arrived.
    func take(at position: inout Position) -> Bytes? {
        guard position.piece >= first, position.piece < end else { return nil }
        let piece = pieces[position.piece - first]
        position.piece += 1
        position.bytes += Int64(piece.readableBytes)
        return piece
    }

    /// Returns the pieces from a position on.
    func rest(from position: Position) -> [Bytes] {
        guard position.piece >= first else { return [] }
        return Array(pieces.dropFirst(position.piece - first))
    }

    /// Releases the pieces that all readers have taken.
    mutating func trim(to lowest: Position) {
        while first < lowest.piece, pieces.popFirst() != nil { first += 1 }
    }

    /// Whether a reader is so far behind that the others wait for it.
    func isBehind(_ position: Position) -> Bool { received - position.bytes >= limit }

    /// Decides what the transfer does next.
    ///
    /// - Parameters:
    ///   - lowest: the position of the slowest reader.
    ///   - isAwaited: whether a reader waits for the next piece.
    func demand(lowest: Position, isAwaited: Bool) -> Demand {
        guard isAwaited else { return .rest }
        // Behind the last byte only the end follows, which takes no room.
        guard isBehind(lowest), received != length else { return .read }
        return .blocked
    }
}
