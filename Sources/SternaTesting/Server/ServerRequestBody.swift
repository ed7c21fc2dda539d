import NIOCore
import SternaCore
import Synchronization

/// A request body that arrives while it is read; a slow reader stops the server from reading more from the socket.
///
/// It can be read once. The first read sends 100 (Continue) if the request expects it (RFC 9110 §10.1.1). Reading throws
/// `CancellationError` if the client closes before the body's end, if the task is cancelled, or if another task is reading.
public struct ServerRequestBody: Sendable, AsyncSequence {
    /// A piece of the body, never empty.
    public typealias Element = [UInt8]

    let pipe: ServerBodyPipe?

    /// The reading position.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let pipe: ServerBodyPipe?

        /// Returns the next piece, or `nil` at the end.
        public mutating func next() async throws -> [UInt8]? {
            try await pipe?.next().map { Array($0.readableBytesView) }
        }
    }

    /// Reads the body piece by piece.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pipe: pipe)
    }

    /// Returns the next piece without a copy.
    func nextBuffer() async throws -> ByteBuffer? {
        try await pipe?.next()
    }

    /// The trailer fields, once the whole body has been read; none before, and none over HTTP/1.0.
    public var trailers: ServerHeaders { pipe?.trailers ?? ServerHeaders() }

    /// Reads the whole body.
    ///
    /// - Parameter limit: The maximum number of bytes, 32 MiB by default.
    /// - Throws: ``ServerRouteError`` with status 413 if the body is longer.
    public func collect(upTo limit: Int = 32 << 20) async throws -> [UInt8] {
        if let declared = pipe?.declaredLength, declared > limit { throw Self.tooLarge(limit) }
        var bytes: [UInt8] = []
        while let buffer = try await nextBuffer() {
            guard buffer.readableBytes <= limit - bytes.count else { throw Self.tooLarge(limit) }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }

    /// Reads the whole body as UTF-8 text. Invalid bytes become U+FFFD.
    ///
    /// - Parameter limit: The maximum number of bytes, 32 MiB by default.
    /// - Throws: ``ServerRouteError`` with status 413 if the body is longer.
    public func text(upTo limit: Int = 32 << 20) async throws -> String {
        String(decoding: try await collect(upTo: limit), as: UTF8.self)
    }

    private static func tooLarge(_ limit: Int) -> ServerRouteError {
        ServerRouteError(status: 413, message: "request body over \(limit) bytes")
    }
}

/// Passes body bytes from the event loop to one reading task, bounded by the reader's pace.
final class ServerBodyPipe: Sendable {
    private struct State {
        var chunks = CircularBuffer<ByteBuffer>()
        var bytes = 0
        var started = false
        var paused = false
        var ended = false
        var failed = false
        var trailers = ServerHeaders()
        var waiter: Wait<ByteBuffer?>?
    }

    static let highWater = 256 << 10
    static let lowWater = 64 << 10

    let declaredLength: Int?
    private let state = Mutex(State())
    private let onDemand: @Sendable () -> Void

    init(declaredLength: Int?, onDemand: @escaping @Sendable () -> Void) {
        self.declaredLength = declaredLength
        self.onDemand = onDemand
    }

    /// Whether the reader has to catch up before more bytes are accepted.
    var isPaused: Bool { state.withLock { $0.paused && !$0.failed && !$0.ended } }

    /// Whether all bytes have come, read or not.
    var hasEnded: Bool { state.withLock { $0.ended } }

    /// Accepts bytes from the socket; returns false to stop reading until the next demand.
    func offer(_ buffer: ByteBuffer) -> Bool {
        let (waiter, more) = state.withLock { state -> (Wait<ByteBuffer?>?, Bool) in
            guard !state.ended, !state.failed else { return (nil, true) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, true)
            }
            state.chunks.append(buffer)
            state.bytes += buffer.readableBytes
            state.paused = state.bytes >= Self.highWater
            return (nil, !state.paused)
        }
        waiter?.end(.success(buffer))
        return more
    }

    var trailers: ServerHeaders { state.withLock { $0.ended ? $0.trailers : ServerHeaders() } }

    func finish(_ trailers: ServerHeaders = ServerHeaders()) {
        let waiter = state.withLock { state in
            if !state.ended { state.trailers = trailers }
            state.ended = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.end(.success(nil))
    }

    func fail() {
        let waiter = state.withLock { state -> Wait<ByteBuffer?>? in
            guard !state.ended else { return nil }
            state.failed = true
            state.chunks.removeAll()
            state.bytes = 0
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.end(.failure(CancellationError()))
    }

    func next() async throws -> ByteBuffer? {
        if Task.isCancelled { fail() }
        // No task awaits it yet, so it may be ended under the lock.
        let wait = Wait<ByteBuffer?>()
        let demand = state.withLock { state -> Bool in
            var demand = !state.started
            state.started = true
            if let chunk = state.chunks.popFirst() {
                state.bytes -= chunk.readableBytes
                if state.paused && state.bytes <= Self.lowWater {
                    state.paused = false
                    demand = true
                }
                wait.end(.success(chunk))
            } else if state.failed || Task.isCancelled || state.waiter != nil {
                wait.end(.failure(CancellationError()))
            } else if state.ended {
                wait.end(.success(nil))
            } else {
                state.waiter = wait
            }
            return demand
        }
        if demand { onDemand() }
        return try await wait.value(onCancel: { fail() })
    }
}
