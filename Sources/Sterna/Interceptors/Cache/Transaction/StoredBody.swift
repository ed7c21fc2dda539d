import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// Reads a stored body piece by piece.
final class StoredBody: BodyStream {
    /// The number of bytes that are read at once.
    private static let pieceSize = 256 << 10

    private let reader: any CacheReader
    private let total: Int64
    private let state: Mutex<State>

    private struct State {
        var position: Int64
        let end: Int64
        var isCancelled = false
    }

    /// - Parameter range: the bytes of the stored body to read.
    init(_ reader: any CacheReader, _ range: Range<Int64>) {
        self.reader = reader
        total = range.upperBound - range.lowerBound
        state = Mutex(State(position: range.lowerBound, end: range.upperBound))
    }

    func next() async throws -> Bytes? {
        let (position, end, isCancelled) = state.withLock { ($0.position, $0.end, $0.isCancelled) }
        guard !isCancelled, !Task.isCancelled else {
            throw SternaError(.cancelled, phase: .read, "The request was cancelled while a stored response was read.")
        }
        guard position < end else { return nil }
        let piece = try await reader.read(at: position, upTo: Int(min(Int64(Self.pieceSize), end - position)))
        guard piece.readableBytes > 0 else {
            throw SternaError(.fileUnreadable, phase: .read, "A stored response ended early; send the request again.")
        }
        state.withLock { $0.position = position + Int64(piece.readableBytes) }
        return piece
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    var length: Int64? { total }

    var trailers: HTTPFields? { nil }

    /// Reads a whole stored body into memory.
    nonisolated(nonsending) static func collect(_ body: CachedBody) async throws -> Bytes {
        switch body {
        case .whole(let bytes): return bytes
        case .reader(let reader):
            var all = Bytes()
            while Int64(all.readableBytes) < reader.length {
                var piece = try await reader.read(at: Int64(all.readableBytes), upTo: pieceSize)
                guard piece.readableBytes > 0 else { break }
                all.writeBuffer(&piece)
            }
            return all
        }
    }
}
