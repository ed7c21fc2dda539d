package import HTTPTypes
import NIOCore
package import SternaCore
import Synchronization

/// The limits of a decoded body.
public struct DecodingLimits: Sendable, Hashable {
    /// The maximum decoded size in bytes; 8 GiB by default.
    public var bytes: Int64 = 8 << 30

    /// The maximum ratio of the decoded to the encoded size; 250 by default.
    public var ratio: Int64 = 250

    /// The decoded size in bytes up to which the ratio is not checked; 4 MiB by default.
    public var ratioFloor: Int64 = 4 << 20

    package init() {}

    func check(coded: Int64, decoded: Int64) throws(SternaError) {
        guard decoded <= bytes else {
            throw SternaError(
                .limitExceeded, phase: .decode,
                "The decoded body is longer than \(ByteSize(bytes)); raise the decoding limits to accept it.")
        }
        let (allowed, overflow) = coded.multipliedReportingOverflow(by: ratio)
        guard decoded <= ratioFloor || overflow || decoded <= allowed else {
            throw SternaError(
                .limitExceeded, phase: .decode,
                "The body grows to more than \(ratio) times its size when it is decoded, which may be an attack; "
                    + "raise the decoding limits to accept it.")
        }
    }
}

/// A body that is decoded while it is read, in bounded memory.
package final class DecodedBody: BodyStream {
    /// The maximum number of bytes decoded at a time.
    static let pieceBytes = 256 << 10

    private struct State: ~Copyable {
        var stages: [Stage]
        var coded: Int64 = 0
        var hasEnded = false
        /// Whether the last piece was full, so that more may be available.
        var hasMore = false
        var isReading = false
        var failure: SternaError?
    }

    private struct Stage {
        var decoder: any ContentDecoder
        var input = Bytes()
        var produced: Int64 = 0
    }

    private let source: ClaimedBody
    private let limits: DecodingLimits
    private let complete: @Sendable (SternaError) -> SternaError
    private let state: Mutex<State>

    /// - Parameters:
    ///   - codings: the codings in the field's order; they are decoded from the last to the first.
    ///   - complete: adds the details of the request to an error.
    package init(
        _ source: ResponseBody, codings: [ContentCoding], limits: DecodingLimits,
        complete: @escaping @Sendable (SternaError) -> SternaError = { $0 }
    ) {
        self.complete = complete
        self.source = ClaimedBody(source)
        self.limits = limits
        state = Mutex(State(stages: codings.reversed().map { Stage(decoder: $0.makeDecoder()) }))
    }

    package var length: Int64? { nil }

    package var trailers: HTTPFields? { source.trailers }

    package func cancel() {
        state.withLock { $0.failure = $0.failure ?? .cancelled(phase: .decode) }
        source.cancel()
    }

    package func next() async throws -> Bytes? {
        let failure = state.withLock { state -> SternaError? in
            guard !state.isReading else {
                return SternaError(.invalidRequest, phase: .read, "Two tasks read the response body at the same time.")
            }
            state.isReading = state.failure == nil
            return state.failure
        }
        if let failure { throw failure }
        defer { state.withLock { $0.isReading = false } }
        do {
            return try await nextPiece()
        } catch let error where Self.isCancellation(error) {
            // A cancellation ends only this read, unless the body was abandoned.
            throw state.withLock { $0.failure } ?? complete(SternaError.wrap(error, as: .cancelled, phase: .decode, ""))
        } catch {
            // Recorded, so that a later read does not mistake the missing data for the end.
            let failure = complete(
                SternaError.wrap(
                    error, as: .contentCodingFailed, phase: .decode, "The body cannot be decoded: \(error)"))
            state.withLock { $0.failure = failure }
            throw failure
        }
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? SternaError)?.kind == .cancelled
    }

    private func nextPiece() async throws -> Bytes? {
        // Decoding never suspends; this lets other tasks on the same event loop or thread run between the pieces.
        if state.withLock({ $0.hasMore }) { await Task.yield() }
        while true {
            if let piece = try state.withLock({ try self.drain(&$0) }) {
                state.withLock { $0.hasMore = piece.readableBytes >= Self.pieceBytes }
                return piece
            }
            if state.withLock({ $0.hasEnded }) { return nil }
            if let bytes = try await source.next() {
                state.withLock { state in
                    state.coded += Int64(bytes.readableBytes)
                    state.stages[0].input.join(bytes)
                }
            } else {
                try state.withLock { state in
                    for stage in state.stages { try stage.decoder.finish() }
                    state.hasEnded = true
                }
                return nil
            }
        }
    }

    // Only one task reads, so that the lock is free, except while `cancel()` records its error.
    private func drain(_ state: inout State) throws(SternaError) -> Bytes? {
        var index = state.stages.count - 1
        while true {
            var input = state.stages[index].input
            state.stages[index].input = Bytes()
            let output = try state.stages[index].decoder.decode(&input, limit: Self.pieceBytes)
            state.stages[index].input = input
            // Every stage is checked, since one may expand its input greatly although the next one produces little.
            state.stages[index].produced += Int64(output.readableBytes)
            try limits.check(coded: state.coded, decoded: state.stages[index].produced)
            if output.readableBytes == 0 {
                // This stage has no output: the one before it may have some.
                if index == 0 { return nil }
                index -= 1
            } else if index == state.stages.count - 1 {
                return output
            } else {
                index += 1
                state.stages[index].input.join(output)
            }
        }
    }
}
