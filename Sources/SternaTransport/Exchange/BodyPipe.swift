import DequeModule
import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// Carries a streamed body from a connection's event loop to the task that reads it, through a bounded buffer.
final class BodyPipe: Sendable {
    /// The size at which the buffer counts as full; a socket read in progress may exceed it once.
    static let capacity = 256 << 10

    private struct State {
        var chunks: Deque<Bytes> = []
        var stored = 0
        var isPaused = false
        var result: Result<HTTPFields?, SternaError>?
        var reader: UnsafeContinuation<Bytes?, any Error>?

        /// Counts the reads that waited, so that a late cancellation ends only its own read.
        var readNumber = 0
        var waitingRead = 0
        var isCancelled = false

        // A slice retains the whole buffer of its socket read. Small slices are therefore copied together, so that memory use
        // matches `stored`.
        mutating func store(_ bytes: Bytes) {
            stored += bytes.readableBytes
            guard bytes.readableBytes < BodyPipe.smallBytes else { return chunks.append(bytes) }
            if let last = chunks.indices.last, chunks[last].readableBytes < BodyPipe.smallBytes {
                chunks[last].writeImmutableBuffer(bytes)
            } else {
                var copy = Bytes()
                copy.reserveCapacity(2 * BodyPipe.smallBytes)
                copy.writeImmutableBuffer(bytes)
                chunks.append(copy)
            }
        }
    }

    /// Pieces below this size are copied together in the buffer.
    private static let smallBytes = 4 << 10

    private let state = Mutex(State())
    private let resume: @Sendable () -> Void
    private let abandon: @Sendable () -> Void

    /// - Parameters:
    ///   - resume: asks the connection to continue reading; called from any thread.
    ///   - abandon: notifies the connection that no task will read the rest; called from any thread.
    init(resume: @escaping @Sendable () -> Void, abandon: @escaping @Sendable () -> Void) {
        self.resume = resume
        self.abandon = abandon
    }

    // MARK: The connection's side

    /// Buffers bytes. `deliver` wakes the reader once for all bytes of a socket read.
    func push(_ bytes: Bytes) {
        guard bytes.readableBytes > 0 else { return }
        state.withLock { state in
            if !state.isCancelled { state.store(bytes) }
        }
    }

    /// The outcome of `deliver`.
    enum Delivery: Equatable {
        /// No reader waits, or the buffer is empty.
        case notNeeded
        /// The buffer holds this many bytes, fewer than the minimum.
        case isHeld(Int)
        /// The reader was woken while this many bytes were buffered.
        case isDone(Int)
    }

    /// Wakes a waiting reader if at least this many bytes are buffered.
    @discardableResult
    func deliver(atLeast least: Int = 1) -> Delivery {
        var woken: (reader: UnsafeContinuation<Bytes?, any Error>, chunk: Bytes)?
        let delivery = state.withLock { state -> Delivery in
            guard let reader = state.reader, !state.chunks.isEmpty else { return .notNeeded }
            let count = state.stored
            guard count >= least, let chunk = state.chunks.popFirst() else { return .isHeld(count) }
            state.stored -= chunk.readableBytes
            state.reader = nil
            woken = (reader, chunk)
            return .isDone(count)
        }
        if let woken { wake(woken.reader, with: .success(woken.chunk)) }
        return delivery
    }

    /// Ends the body with success or an error; the reader still receives the buffered bytes.
    func end(_ result: Result<HTTPFields?, SternaError>) {
        let reader = state.withLock { state -> UnsafeContinuation<Bytes?, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            // The reader receives the buffered bytes before the end.
            guard state.chunks.isEmpty else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        if let reader { wake(reader, with: result.map { _ in nil }) }
        deliver()
    }

    // Orders the work before a reader's wake-up against the reader's own work. The runtime does so, too, but the sanitizer misses
    // it when a reader is woken before it has suspended.
    private let woken = Atomic<Bool>(false)

    private func wake(_ reader: UnsafeContinuation<Bytes?, any Error>, with result: Result<Bytes?, SternaError>) {
        woken.store(true, ordering: .releasing)
        reader.resume(with: result.mapError { $0 })
    }

    /// Returns whether the connection should stop reading for now; `resume` is called when there is room.
    func pauseIfFull() -> Bool {
        state.withLock { state in
            state.isPaused = state.stored >= Self.capacity && !state.isCancelled
            return state.isPaused
        }
    }

    /// Takes the buffered bytes and the end, if there is one already, in place of reads.
    func takeAll() -> (Deque<Bytes>, Result<HTTPFields?, SternaError>?) {
        state.withLock { state in
            let chunks = state.chunks
            state.chunks = []
            state.stored = 0
            state.isPaused = false
            return (chunks, state.result)
        }
    }

    /// The number of unread bytes.
    var storedBytes: Int { state.withLock { $0.stored } }

    /// Whether a reader waits now.
    var hasReader: Bool { state.withLock { $0.reader != nil } }

    /// Whether the reader keeps up with the connection.
    var isKeptUpWith: Bool { state.withLock { !$0.isCancelled && ($0.reader != nil || $0.stored == 0) } }

    // MARK: The reader's side

    var trailers: HTTPFields? {
        state.withLock { state in
            if case .success(let trailers) = state.result { trailers } else { nil }
        }
    }

    private enum Step {
        case deliver(Bytes?, resumes: Bool)
        case fail(SternaError)
        case wait
    }

    private static func step(_ state: inout State) -> Step {
        if state.isCancelled { return .fail(.cancelled(phase: .read)) }
        if let chunk = state.chunks.popFirst() {
            state.stored -= chunk.readableBytes
            let resumes = state.isPaused && state.stored < Self.capacity / 2
            if resumes { state.isPaused = false }
            return .deliver(chunk, resumes: resumes)
        }
        switch state.result {
        case .success: return .deliver(nil, resumes: false)
        case .failure(let error): return .fail(error)
        case nil: return .wait
        }
    }

    /// Returns the next bytes, or nil at the end. Throws the error of the body, `invalidRequest` if another task is reading, and
    /// `cancelled` if the task is cancelled while it waits, which ends only this read.
    func next() async throws -> Bytes? {
        let (step, number) = state.withLock { state -> (Step, Int) in
            let step = Self.step(&state)
            if case .wait = step { state.readNumber += 1 }
            return (step, state.readNumber)
        }
        switch step {
        case .deliver(let bytes, let resumes):
            if resumes { resume() }
            return bytes
        case .fail(let error): throw error
        case .wait: break
        }
        defer { _ = woken.load(ordering: .acquiring) }
        return try await withTaskCancellationHandler {
            // The continuation is resumed once: by the code that takes it out of the state under the lock.
            try await withUnsafeThrowingContinuation { continuation in
                let step = state.withLock { state -> Step in
                    let step = Self.step(&state)
                    if case .wait = step {
                        // A later cancellation finds the reader; this check sees an earlier one.
                        if Task.isCancelled { return .fail(.cancelled(phase: .read)) }
                        if state.reader != nil {
                            return .fail(
                                SternaError(
                                    .invalidRequest, phase: .read, "Two tasks read the response body at the same time.")
                            )
                        }
                        state.reader = continuation
                        state.waitingRead = number
                    }
                    return step
                }
                switch step {
                case .deliver(let bytes, let resumes):
                    if resumes { resume() }
                    continuation.resume(returning: bytes)
                case .fail(let error): continuation.resume(throwing: error)
                case .wait: break
                }
            }
        } onCancel: {
            endRead(number)
        }
    }

    private func endRead(_ number: Int) {
        let reader = state.withLock { state -> UnsafeContinuation<Bytes?, any Error>? in
            guard state.waitingRead == number else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        if let reader { wake(reader, with: .failure(.cancelled(phase: .read))) }
    }

    /// Discards the unread part of the body.
    func cancel() {
        let (reader, isNew) = state.withLock { state -> (UnsafeContinuation<Bytes?, any Error>?, Bool) in
            let isNew = !state.isCancelled && state.result == nil
            state.isCancelled = true
            state.chunks = []
            state.stored = 0
            defer { state.reader = nil }
            return (state.reader, isNew)
        }
        if let reader { wake(reader, with: .failure(.cancelled(phase: .read))) }
        if isNew { abandon() }
    }
}

/// The handle of a streamed body; releasing it discards the unread part.
final class StreamedBody: BodyStream {
    private let pipe: BodyPipe
    let length: Int64?

    init(_ pipe: BodyPipe, length: Int64?) {
        self.pipe = pipe
        self.length = length
    }

    deinit { pipe.cancel() }

    func next() async throws -> Bytes? { try await pipe.next() }

    func cancel() { pipe.cancel() }

    var trailers: HTTPFields? { pipe.trailers }
}
