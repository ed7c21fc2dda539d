import HTTPTypes
import SternaCore
import Synchronization

/// The body of a mock's response that a closure writes. The closure begins with the first read, and each of its writes waits for a read.
final class WrittenBody: BodyStream {
    typealias Writing = @Sendable (ServerBodyWriter) async throws -> Void

    let length: Int64?
    private let ownTrailers: HTTPFields

    // The closure's task refers to the queue alone, so that the body's release ends it.
    private let queue: PieceQueue
    private let start: Mutex<(@Sendable () -> Void)?>

    init(length: Int?, trailers: HTTPFields, _ write: @escaping Writing) {
        let queue = PieceQueue()
        self.length = length.map { Int64($0) }
        self.queue = queue
        ownTrailers = trailers
        let begin: @Sendable () -> Void = {
            let task = Task {
                let writer = ServerBodyWriter(.mock(queue), length: length)
                do {
                    try await write(writer)
                    queue.end(writer.isComplete ? nil : Self.truncated())
                } catch {
                    queue.end(error as? SternaError ?? Self.truncated(error))
                }
            }
            queue.onCancel { task.cancel() }
        }
        start = Mutex(begin)
    }

    deinit { queue.cancel() }

    func next() async throws -> Bytes? {
        start.withLock { $0.take() }?()
        return try await queue.next()
    }

    func cancel() { queue.cancel() }

    var trailers: HTTPFields? { queue.isOver && !ownTrailers.isEmpty ? ownTrailers : nil }

    private static func truncated(_ cause: (any Error)? = nil) -> SternaError {
        SternaError(
            .truncated, phase: .read, "The mock's closure has not written the whole body.", underlying: cause)
    }
}

/// The pieces of a body between their writer, which waits until a piece was taken, and their reader.
final class PieceQueue: Sendable {
    private struct State {
        var pieces: [(Bytes, CheckedContinuation<Void, any Error>)] = []
        var reader: CheckedContinuation<Bytes?, any Error>?
        var end: Result<Void, SternaError>?
        var cancelled: (@Sendable () -> Void)?
        var isCancelled = false
        var isOver = false
    }

    private let state = Mutex(State())

    /// Whether the reader has seen the end.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Sets what stops the writer; calls it if the body is cancelled already.
    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.cancelled = stop }
            return state.isCancelled
        }
        if isCancelled { stop() }
    }

    /// Waits until the piece was taken. Throws `cancelled` once the body is cancelled.
    func write(_ piece: Bytes) async throws {
        try await withCheckedThrowingContinuation { (writer: CheckedContinuation<Void, any Error>) in
            let (isCancelled, reader) = state.withLock { state in
                let reader = state.reader.take()
                if !state.isCancelled, reader == nil { state.pieces.append((piece, writer)) }
                return (state.isCancelled, reader)
            }
            if isCancelled { return writer.resume(throwing: SternaError.cancelled(phase: .read)) }
            guard let reader else { return }
            reader.resume(returning: piece)
            writer.resume()
        }
    }

    /// Ends the body behind the pieces, with an error or without.
    func end(_ error: SternaError?) {
        let reader = state.withLock { state in
            state.end = if let error { .failure(error) } else { .success(()) }
            state.cancelled = nil
            if error == nil, state.reader != nil { state.isOver = true }
            return state.reader.take()
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    func next() async throws -> Bytes? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (reader: CheckedContinuation<Bytes?, any Error>) in
                let (outcome, writer) = state.withLock { Self.take(&$0, reader) }
                if let outcome { reader.resume(with: outcome) }
                writer?.resume()
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(throwing: SternaError.cancelled(phase: .read))
        }
    }

    /// Returns the outcome of a read, and the writer of the piece that it takes; no outcome if the reader has to wait.
    private static func take(
        _ state: inout State, _ reader: CheckedContinuation<Bytes?, any Error>
    ) -> (Result<Bytes?, any Error>?, CheckedContinuation<Void, any Error>?) {
        // Under the lock: a cancellation that comes later finds the reader.
        if state.isCancelled || Task.isCancelled { return (.failure(SternaError.cancelled(phase: .read)), nil) }
        if !state.pieces.isEmpty {
            let (piece, writer) = state.pieces.removeFirst()
            return (.success(piece), writer)
        }
        switch state.end {
        case .success?:
            state.isOver = true
            return (.success(nil), nil)
        case .failure(let error)?: return (.failure(error), nil)
        case nil: break
        }
        guard state.reader == nil else {
            let error = SternaError(.invalidRequest, phase: .read, "Another task is reading the body.")
            return (.failure(error), nil)
        }
        state.reader = reader
        return (nil, nil)
    }

    func cancel() {
        let (pieces, reader, stop) = state.withLock { state in
            state.isCancelled = true
            defer { state.pieces = [] }
            return (state.pieces, state.reader.take(), state.cancelled.take())
        }
        for (_, writer) in pieces { writer.resume(throwing: SternaError.cancelled(phase: .read)) }
        reader?.resume(throwing: SternaError.cancelled(phase: .read))
        stop?()
    }
}
