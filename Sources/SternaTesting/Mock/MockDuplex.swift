import NIOCore
import NIOPosix
import SternaCore
import Synchronization

/// The client's end of a connection in memory that a mock's response has switched to another protocol.
///
/// Releasing it ends the connection, as the route's closure refers only to the other end.
final class MockDuplex: DuplexStream {
    private let link: MockLink

    /// Makes a connection, and runs a route's closure at its other end.
    init(clock: NetworkClock, _ run: @escaping ServerUpgrade.Run) {
        link = MockLink(clock: clock)
        link.begin(run)
    }

    deinit { link.cancel() }

    func next() async throws -> Bytes? { try await link.next() }
    func deliver(to handler: any DuplexHandler) { link.deliver(to: handler) }
    func resumeReading() { link.resumeReading() }
    var hasRoom: Bool { link.hasRoom }
    func room() async throws { try await link.room() }
    func put(_ bytes: Bytes) { link.send(bytes) }
    func finish() { link.endClient() }
    func cancel() { link.cancel() }

    func schedule(in time: Duration, _ action: @escaping @Sendable () -> Void) -> any DuplexTimer {
        let moment = link.clock.now + TimeAmount(clamping: time)
        return Timer(timer: link.clock.schedule(at: moment, on: link.loop, outlastsLoop: true, action))
    }

    private struct Timer: DuplexTimer {
        let timer: ClockTimer
        func cancel() { timer.cancel() }
    }
}

/// Both directions of a ``MockDuplex``, each of which holds a bounded number of bytes.
private final class MockLink: ServerDuplexOutput {
    private struct State {
        // From the server to the client.
        var pieces: CircularBuffer<Bytes> = []
        var byteCount = 0
        /// The writes that wait for room.
        var writes: [EventLoopPromise<Void>] = []
        var reader: Wait<Bytes?>?
        var handler: (any DuplexHandler)?
        var isPaused = false
        /// The end of the server's direction, or the error that ended both.
        var end: Result<Void, SternaError>?
        // From the client to the server.
        var rooms: [Wait<Void>] = []
        var isClientOver = false
        var task: Task<Void, Never>?
    }

    /// What waits for the end of both directions.
    private struct Waiters {
        var writes: [EventLoopPromise<Void>]
        var reader: Wait<Bytes?>?
        var rooms: [Wait<Void>]
        var task: Task<Void, Never>?
    }

    /// The number of bytes that the server may write ahead of the client.
    private static let window = 64 << 10

    let clock: NetworkClock
    /// Calls the client's handler, and runs its timers.
    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let state = Mutex(State())
    private let pipe: ServerBodyPipe

    init(clock: NetworkClock) {
        self.clock = clock
        // Holds what the pipe calls when the server has read, which the pipe cannot refer to before it is made.
        let demand = Demand()
        pipe = ServerBodyPipe(declaredLength: nil) { demand.link.withLock { $0.link }?.roomMade() }
        demand.link.withLock { $0.link = self }
    }

    private final class Demand: Sendable {
        struct Target { weak var link: MockLink? }
        let link = Mutex(Target())
    }

    func begin(_ run: @escaping ServerUpgrade.Run) {
        let duplex = ServerDuplex(pipe: pipe, output: self)
        let task = Task { await duplex.serve(run) }
        let isOver = state.withLock { state in
            if case .failure? = state.end { return true }
            state.task = task
            return false
        }
        if isOver { task.cancel() }
    }

    // MARK: The client reads

    func next() async throws -> Bytes? {
        let wait = Wait<Bytes?>()
        let (outcome, writes) = state.withLock { state -> (Result<Bytes?, SternaError>?, [EventLoopPromise<Void>]) in
            if Task.isCancelled { return (.failure(.cancelled(phase: .read)), []) }
            if state.handler != nil || state.reader != nil {
                return (.failure(SternaError(.invalidRequest, phase: .read, "Another task is reading.")), [])
            }
            if let piece = Self.take(&state) { return (.success(piece), Self.writesWithRoom(&state)) }
            if let end = state.end { return (end.map { _ in nil as Bytes? }, []) }
            state.reader = wait
            return (nil, [])
        }
        for write in writes { write.succeed(()) }
        if let outcome { return try outcome.get() }
        return try await wait.value(onCancel: { stopReading(wait) })
    }

    private func stopReading(_ wait: Wait<Bytes?>) {
        let isReading = state.withLock { state in
            guard state.reader === wait else { return false }
            state.reader = nil
            return true
        }
        if isReading { wait.end(.failure(SternaError.cancelled(phase: .read))) }
    }

    func deliver(to handler: any DuplexHandler) {
        state.withLock { $0.handler = handler }
        loop.execute { self.pump() }
    }

    func resumeReading() {
        state.withLock { $0.isPaused = false }
        loop.execute { self.pump() }
    }

    /// Calls the handler with what has arrived, on the event loop.
    private func pump() { while deliverOne() {} }

    /// Returns false if there is nothing to deliver now.
    private func deliverOne() -> Bool {
        enum Delivery {
            case piece(Bytes, any DuplexHandler, [EventLoopPromise<Void>])
            case end(SternaError?, any DuplexHandler)
        }
        let delivery = state.withLock { state -> Delivery? in
            guard let handler = state.handler, !state.isPaused else { return nil }
            if let piece = Self.take(&state) {
                // The handler may resume reading before it returns false.
                state.isPaused = true
                return .piece(piece, handler, Self.writesWithRoom(&state))
            }
            guard let end = state.end else { return nil }
            state.handler = nil
            if case .failure(let error) = end { return .end(error, handler) }
            return .end(nil, handler)
        }
        switch delivery {
        case nil: return false
        case .end(let error, let handler)?:
            handler.ended(error)
            return false
        case .piece(let piece, let handler, let writes)?:
            for write in writes { write.succeed(()) }
            if handler.received(piece) { state.withLock { $0.isPaused = false } }
            return true
        }
    }

    private static func take(_ state: inout State) -> Bytes? {
        guard let piece = state.pieces.popFirst() else { return nil }
        state.byteCount -= piece.count
        return piece
    }

    /// Takes out the writes that are complete, as the client has room.
    private static func writesWithRoom(_ state: inout State) -> [EventLoopPromise<Void>] {
        guard state.byteCount <= window else { return [] }
        defer { state.writes = [] }
        return state.writes
    }

    // MARK: The client writes

    func send(_ bytes: Bytes) {
        guard !bytes.isEmpty, !state.withLock({ $0.isClientOver }) else { return }
        _ = pipe.offer(bytes)
    }

    var hasRoom: Bool { !pipe.isPaused }

    func room() async throws {
        let wait = Wait<Void>()
        let end = state.withLock { state -> Result<Void, SternaError>? in
            state.rooms.append(wait)
            return state.end
        }
        defer { state.withLock { state in state.rooms.removeAll { $0 === wait } } }
        if case .failure(let error)? = end { throw error }
        if hasRoom { return }
        try await wait.value(cancelled: SternaError.cancelled(phase: .write))
    }

    private func roomMade() {
        let rooms = state.withLock { state in
            defer { state.rooms = [] }
            return state.rooms
        }
        for room in rooms { room.end() }
    }

    func endClient() {
        state.withLock { $0.isClientOver = true }
        pipe.finish()
    }

    /// Ends both directions because the client has cancelled.
    func cancel() { endBoth(.cancelled(phase: .read), cancelsTask: true) }

    // MARK: The server writes

    func put(_ bytes: Bytes) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        let (reader, isOver, isWritten) = state.withLock { state -> (Wait<Bytes?>?, Bool, Bool) in
            guard state.end == nil else { return (nil, true, false) }
            if let reader = state.reader.take() { return (reader, false, true) }
            state.pieces.append(bytes)
            state.byteCount += bytes.count
            if state.byteCount <= Self.window { return (nil, false, true) }
            state.writes.append(promise)
            return (nil, false, false)
        }
        if isOver {
            promise.fail(ChannelError.ioOnClosedChannel)
        } else if isWritten {
            promise.succeed(())
        }
        if let reader { reader.end(.success(bytes)) } else { loop.execute { self.pump() } }
        return promise.futureResult
    }

    func finish() -> EventLoopFuture<Void> {
        let reader = state.withLock { state in
            if state.end == nil { state.end = .success(()) }
            return state.reader.take()
        }
        reader?.end(.success(nil))
        loop.execute { self.pump() }
        return loop.makeSucceededVoidFuture()
    }

    /// Discards what the client sends from now on.
    func close() async {
        state.withLock { state in
            state.isClientOver = true
            state.task = nil
        }
        pipe.fail()
        roomMade()
    }

    func reset(_: ServerStreamReset) async {
        endBoth(
            SternaError(
                .connectionClosed, phase: .read, "The closure of the mock's response has reset the connection."),
            cancelsTask: false)
    }

    private func endBoth(_ error: SternaError, cancelsTask: Bool) {
        let waiters = state.withLock { state in
            defer {
                // What was written before the end of both directions is lost.
                if state.end == nil || !state.pieces.isEmpty { state.end = .failure(error) }
                state.pieces = []
                state.byteCount = 0
                state.isClientOver = true
                // An error ends a pause of the handler, too.
                state.isPaused = false
                (state.writes, state.reader, state.rooms, state.task) = ([], nil, [], nil)
            }
            return Waiters(
                writes: state.writes, reader: state.reader, rooms: state.rooms, task: state.task)
        }
        pipe.fail()
        if cancelsTask { waiters.task?.cancel() }
        for write in waiters.writes { write.fail(ChannelError.ioOnClosedChannel) }
        waiters.reader?.end(.failure(error))
        for room in waiters.rooms { room.end(.failure(error)) }
        loop.execute { self.pump() }
    }
}
