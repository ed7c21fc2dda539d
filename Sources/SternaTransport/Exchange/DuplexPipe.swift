import DequeModule
import NIOCore
import SternaCore
import Synchronization

/// Carries the bytes of an exchange that has switched protocols between its codec and the program, both ways.
///
/// What arrives goes through a ``BodyPipe`` to a reader, or directly to a handler. What is sent goes to the codec at once on its event
/// loop, and otherwise waits here for the next turn of the loop, and for room in the channel.
// Invariant: the stored `var`s are touched on the event loop only.
final class DuplexPipe: @unchecked Sendable {
    /// The number of bytes at which `room` begins to wait.
    private static let capacity = 256 << 10

    /// Pieces below this size are copied together while they wait.
    private static let smallBytes = 16 << 10

    fileprivate struct Output {
        var pieces: Deque<Bytes> = []
        var stored = 0
        var isScheduled = false

        /// Whether no more bytes are taken: this side has finished, or the exchange has ended.
        var isClosed = false
        var owesEnd = false

        /// The error of `room` after the end.
        var error: SternaError?
        var waits: [Wait<Void>] = []

        mutating func store(_ bytes: Bytes) {
            stored += bytes.readableBytes
            if let last = pieces.indices.last, pieces[last].readableBytes + bytes.readableBytes <= DuplexPipe.smallBytes
            {
                pieces[last].writeImmutableBuffer(bytes)
            } else {
                pieces.append(bytes)
            }
        }
    }

    private let loop: any EventLoop
    private let clock: NetworkClock
    private let output = Mutex(Output())
    let incoming: BodyPipe
    private weak var codec: ExchangeCodec?
    private var handler: (any DuplexHandler)?
    private var hasEnded = false

    /// Whether the handler has asked for a pause.
    private(set) var isPaused = false

    /// Whether the handler runs. What it sends waits until it has returned: a write that fails reads on and ends the connection before it
    /// returns, which would call the handler within itself.
    private var isDelivering = false

    /// Whether the peer's direction has ended, or both.
    var hasInputEnded: Bool { hasEnded }

    /// Whether this side's direction has ended.
    private(set) var hasFinished = false

    init(_ codec: ExchangeCodec, incoming: BodyPipe) {
        self.codec = codec
        self.incoming = incoming
        loop = codec.shard.loop
        clock = codec.shard.clock
    }

    // MARK: In

    /// Whether what arrives goes to a handler.
    var hasHandler: Bool { handler != nil }

    /// Passes bytes to the handler.
    func received(_ bytes: Bytes) {
        guard let handler, bytes.readableBytes > 0 else { return }
        delivering { if !handler.received(bytes) { isPaused = true } }
    }

    private func delivering(_ work: () -> Void) {
        isDelivering = true
        work()
        isDelivering = false
        if holdsOutput { drain() }
    }

    /// Notes the end of the peer's direction.
    func inputEnded() { end(input: nil) }

    /// Notes the end of both directions, by an error or in order.
    func ended(_ error: SternaError?) {
        loop.assertInEventLoop()
        codec = nil
        // First of all, so that writers do not learn of the end before the reader.
        end(input: error)
        let waits = output.withLock { output in
            output.isClosed = true
            output.owesEnd = false
            output.pieces = []
            output.stored = 0
            output.error = error ?? Self.isOver
            return output.takeWaits()
        }
        for wait in waits { wait.end(.failure(error ?? Self.isOver)) }
    }

    private func end(input error: SternaError?) {
        loop.assertInEventLoop()
        guard !hasEnded else { return }
        hasEnded = true
        incoming.end(error.map { .failure($0) } ?? .success(nil))
        handler.take()?.ended(error)
    }

    fileprivate func deliver(to handler: any DuplexHandler) {
        onLoop {
            let (pieces, result) = self.incoming.takeAll()
            if result == nil { self.handler = handler }
            self.codec?.hasHandler()
            self.delivering { for piece in pieces where !handler.received(piece) { self.isPaused = true } }
            switch result {
            case nil: if !self.isPaused { self.codec?.resumeInput() }
            case .success: handler.ended(nil)
            case .failure(let error): handler.ended(error)
            }
        }
    }

    fileprivate func resumeReading() {
        onLoop {
            self.isPaused = false
            self.codec?.resumeInput()
        }
    }

    private func onLoop(_ work: @escaping @Sendable () -> Void) {
        if loop.inEventLoop { work() } else { loop.execute(work) }
    }

    // MARK: Out

    fileprivate var hasRoom: Bool { output.withLock { !$0.isClosed && $0.stored < Self.capacity } }

    fileprivate func room() async throws {
        let wait = Wait<Void>()
        let error: SternaError?? = output.withLock { output in
            if output.isClosed { return .some(output.error ?? Self.isFinished) }
            guard output.stored >= Self.capacity else { return .some(nil) }
            output.waits.append(wait)
            return nil
        }
        if let error {
            if let error { throw error }
            return
        }
        defer { output.withLock { $0.waits.removeAll { $0 === wait } } }
        try await wait.value(cancelled: SternaError.cancelled(phase: .write))
    }

    fileprivate func put(_ bytes: Bytes) {
        guard bytes.readableBytes > 0 else { return }
        guard loop.inEventLoop else { return store(bytes) }
        if isDelivering {
            // `delivering` drains.
            output.withLock { if !$0.isClosed { $0.store(bytes) } }
            return
        }
        let isFirst = output.withLock { !$0.isClosed && $0.pieces.isEmpty }
        if isFirst, let codec, codec.hasRoom {
            codec.writeDirectly(bytes)
            codec.flush()
            if !codec.hasRoom { codec.outputWaits() }
        } else {
            store(bytes)
        }
    }

    private func store(_ bytes: Bytes) {
        let mustDrain = output.withLock { output in
            guard !output.isClosed else { return false }
            output.store(bytes)
            return output.schedule()
        }
        if mustDrain { loop.execute { self.drain() } }
    }

    fileprivate func finish() {
        let mustDrain = output.withLock { output in
            guard !output.isClosed else { return false }
            output.isClosed = true
            output.owesEnd = true
            return output.schedule()
        }
        if mustDrain { loop.execute { self.drain() } }
    }

    /// Hands the waiting bytes to the codec while it has room.
    func drain() {
        loop.assertInEventLoop()
        var hasWritten = false
        while let codec, codec.hasRoom {
            let (piece, waits, owesEnd) = output.withLock { output in
                output.isScheduled = false
                let piece = output.pieces.popFirst()
                output.stored -= piece?.readableBytes ?? 0
                let waits = output.stored < Self.capacity / 2 ? output.takeWaits() : []
                let owesEnd = piece == nil && output.owesEnd
                if owesEnd { output.owesEnd = false }
                return (piece, waits, owesEnd)
            }
            for wait in waits { wait.end() }
            if let piece {
                codec.writeDirectly(piece)
                hasWritten = true
                // The channel notices that it is full only when it is flushed over TLS.
                if piece.readableBytes >= Self.smallBytes { codec.flush() }
                continue
            }
            if hasWritten { codec.flush() }
            if owesEnd {
                hasFinished = true
                codec.finishOutput()
            }
            return
        }
        guard let codec else { return }
        if hasWritten { codec.flush() }
        output.withLock { $0.isScheduled = false }
        codec.outputWaits()
    }

    /// Whether bytes wait here for room in the channel, or this side's end.
    var holdsOutput: Bool { output.withLock { !$0.pieces.isEmpty || $0.owesEnd } }

    fileprivate func cancel() {
        onLoop { self.codec?.fail(.cancelled(phase: .read)) }
    }

    fileprivate func schedule(in time: Duration, _ action: @escaping @Sendable () -> Void) -> any DuplexTimer {
        clock.schedule(at: clock.now + TimeAmount(clamping: time), on: loop, outlastsLoop: true, action)
    }

    private static let isOver = SternaError(.connectionClosed, phase: .write, "The stream has ended; nothing was sent.")
    private static let isFinished = SternaError(
        .invalidRequest, phase: .write, "This side has finished the stream; nothing was sent.")
}

extension DuplexPipe.Output {
    /// Returns whether the caller must have the loop drain the output.
    fileprivate mutating func schedule() -> Bool {
        defer { isScheduled = true }
        return !isScheduled
    }

    fileprivate mutating func takeWaits() -> [Wait<Void>] {
        let all = waits
        waits = []
        return all
    }
}

extension ClockTimer: DuplexTimer {}

/// The program's handle on a ``DuplexPipe``; releasing it ends the exchange.
final class DuplexHandle: DuplexStream {
    private let pipe: DuplexPipe

    init(_ pipe: DuplexPipe) { self.pipe = pipe }

    deinit { pipe.cancel() }

    func next() async throws -> Bytes? { try await pipe.incoming.next() }
    func deliver(to handler: any DuplexHandler) { pipe.deliver(to: handler) }
    func resumeReading() { pipe.resumeReading() }
    var hasRoom: Bool { pipe.hasRoom }
    func room() async throws { try await pipe.room() }
    func put(_ bytes: Bytes) { pipe.put(bytes) }
    func finish() { pipe.finish() }
    func cancel() { pipe.cancel() }

    func schedule(in time: Duration, _ action: @escaping @Sendable () -> Void) -> any DuplexTimer {
        pipe.schedule(in: time, action)
    }
}
