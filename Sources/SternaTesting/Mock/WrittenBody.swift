import HTTPTypes
import SternaCore
import Synchronization

/// The body of a mock's response that a closure writes. The closure begins with the first read, and each of its writes waits for a
/// read, or for the cancellation of its Swift task.
final class WrittenBody: BodyStream {
    typealias Writing = @Sendable (ServerBodyWriter) async throws -> Void

    let length: Int64?
    private let ownTrailers: HTTPFields

    // The closure's task refers only to the queue, so that the body's release ends it.
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
        var pieces: [(piece: Bytes, writer: Wait<Void>)] = []
        var reader: Wait<Bytes?>?
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

    /// Waits until the piece was taken. Throws `cancelled` once the body is cancelled, and `CancellationError` if the writer's
    /// Swift task is; the piece is then not read.
    func write(_ piece: Bytes) async throws {
        let wait = Wait<Void>()
        let (isCancelled, reader) = state.withLock { state in
            let reader = state.reader.take()
            if !state.isCancelled, reader == nil { state.pieces.append((piece, wait)) }
            return (state.isCancelled, reader)
        }
        if isCancelled { throw SternaError.cancelled(phase: .read) }
        if let reader {
            reader.end(.success(piece))
            return
        }
        try await wait.value(onCancel: { withdraw(wait) })
    }

    /// Removes the piece of a writer whose Swift task was cancelled. If the piece was taken before, the read ends the writer's
    /// wait.
    private func withdraw(_ wait: Wait<Void>) {
        let isQueued = state.withLock { state -> Bool in
            guard let place = state.pieces.firstIndex(where: { $0.writer === wait }) else { return false }
            state.pieces.remove(at: place)
            return true
        }
        if isQueued { wait.end(.failure(CancellationError())) }
    }

    /// Ends the body after the pieces, with an error or without.
    func end(_ error: SternaError?) {
        let reader = state.withLock { state in
            state.end = if let error { .failure(error) } else { .success(()) }
            state.cancelled = nil
            if error == nil, state.reader != nil { state.isOver = true }
            return state.reader.take()
        }
        if let error { reader?.end(.failure(error)) } else { reader?.end(.success(nil)) }
    }

    func next() async throws -> Bytes? {
        let wait = Wait<Bytes?>()
        let (outcome, writer) = state.withLock { Self.take(&$0, wait) }
        writer?.end()
        if let outcome { return try outcome.get() }
        return try await wait.value(onCancel: { stopReading(wait) })
    }

    /// Removes a reader whose Swift task was cancelled. The wait of one that was removed before ends with a piece, or the end.
    private func stopReading(_ wait: Wait<Bytes?>) {
        let isReading = state.withLock { state -> Bool in
            guard state.reader === wait else { return false }
            state.reader = nil
            return true
        }
        if isReading { wait.end(.failure(SternaError.cancelled(phase: .read))) }
    }

    /// Returns the outcome of a read, and the writer of the piece that it takes; no outcome if the reader has to wait.
    private static func take(
        _ state: inout State, _ reader: Wait<Bytes?>
    ) -> (Result<Bytes?, any Error>?, Wait<Void>?) {
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
        for (_, writer) in pieces { writer.end(.failure(SternaError.cancelled(phase: .read))) }
        reader?.end(.failure(SternaError.cancelled(phase: .read)))
        stop?()
    }
}
