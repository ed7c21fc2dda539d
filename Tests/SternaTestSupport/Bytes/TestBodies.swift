import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A body that delivers chunks of one size.
final class ChunkedBody: BodyStream {
    private let rest: Mutex<ArraySlice<UInt8>>
    private let cancellation = Mutex(false)
    private let size: Int

    init(_ bytes: [UInt8], size: Int) {
        rest = Mutex(bytes[...])
        self.size = size
    }

    var isCancelled: Bool { cancellation.withLock { $0 } }

    /// The number of bytes that the reader has not requested.
    var left: Int { rest.withLock { $0.count } }

    func next() async throws -> Bytes? {
        rest.withLock { rest in
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Bytes(copying: rest.prefix(size))
        }
    }

    func cancel() { cancellation.withLock { $0 = true } }
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }
}

/// A body whose pieces a test counts, and may delay.
final class CountedPieces: BodyStream {
    private struct State {
        var taken = 0
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let pieces: [Bytes]
    private let failure: SternaError?
    private let gate: Gate?
    private let held: Int
    let length: Int64?

    /// - Parameters:
    ///   - held: the number of the first piece that waits for the gate.
    init(_ pieces: [Bytes], failure: SternaError? = nil, length: Int64? = nil, gate: Gate? = nil, held: Int = 0) {
        (self.pieces, self.failure, self.length, self.gate, self.held) = (pieces, failure, length, gate, held)
    }

    /// Returns a number of pieces, each filled with its number.
    static func numbered(_ count: Int, of size: Int) -> [Bytes] {
        (0..<count).map { Bytes(repeating: UInt8(truncatingIfNeeded: $0), count: size) }
    }

    var taken: Int { state.withLock { $0.taken } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func next() async throws -> Bytes? {
        if let gate, taken >= held { await gate.wait() }
        if Task.isCancelled { throw SternaError.cancelled(phase: .read) }
        let number = state.withLock { state in
            defer { state.taken += 1 }
            return state.taken
        }
        if number < pieces.count { return pieces[number] }
        if let failure { throw failure }
        return nil
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    var trailers: HTTPFields? { taken > pieces.count ? [.eTag: "\"end\""] : nil }
}
