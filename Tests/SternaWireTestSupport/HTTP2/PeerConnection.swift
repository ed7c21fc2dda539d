import NIOCore
import SternaPlatform
import Synchronization

/// One connection of the peer, as a script sees it.
final class PeerConnection: Sendable {
    /// The connection's number in the order of acceptance, from 0.
    let number: Int

    let channel: any Channel
    private let state: Mutex<PeerState>
    private let changes: PeerSignal
    private let socket: NIOLoopBound<SocketHandler>

    init(
        number: Int, channel: any Channel, socket: NIOLoopBound<SocketHandler>, patience: Duration, answersPings: Bool
    ) {
        self.number = number
        self.channel = channel
        self.socket = socket
        var state = PeerState()
        state.patience = patience
        state.answersPings = answersPings
        self.state = Mutex(state)
        changes = PeerSignal(loop: channel.eventLoop)
    }

    // MARK: Received data

    /// Every frame received, in the order of arrival, taken by the script or not.
    var log: [WireFrame] { look { $0.log } }
    /// The first mebibyte received, the preface included; with TLS after decryption.
    var received: [UInt8] { look { $0.received } }
    /// The values of the client's SETTINGS so far, the last of each.
    var clientSettings: [UInt16: UInt32] { look { $0.clientSettings } }
    /// The number of requests that began, taken by the script or not.
    var requestCount: Int { look { $0.requestCount } }
    /// Whether the client has closed its sending side, or the connection is closed.
    var isClosed: Bool { look { $0.isClosed } }
    /// The streams that the client has reset, with their codes.
    var resets: [UInt32: WireFrame.Code] { look { $0.resets } }
    /// The number of bytes of DATA for which the client's windows have room on a stream.
    func room(_ stream: UInt32) -> Int { look { $0.room(stream) } }

    /// Whether each PING of the client is acknowledged at once.
    var answersPings: Bool {
        get { look { $0.answersPings } }
        set { look { $0.answersPings = newValue } }
    }

    /// The longest wait for anything.
    var patience: Duration {
        get { look { $0.patience } }
        set { look { $0.patience = newValue } }
    }

    // MARK: Closing

    /// Closes in both directions, with TLS after `close_notify`.
    func close() async throws {
        do {
            try await limited("closing") { self.channel.close() }
        } catch let error as PeerError where error.kind == .closed {
            // The client has closed before.
        }
        closed()
    }

    /// Closes the sending side only.
    func closeOutput() async throws {
        try await limited("closing the output") { self.channel.close(mode: .output) }
    }

    /// Closes by a TCP reset.
    func reset() async {
        if let options = channel as? any SocketOptionProvider {
            try? await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        await abort()
    }

    /// Closes the socket without `close_notify`.
    func abort() async {
        let socket = self.socket
        channel.eventLoop.execute { socket.value.closeNow() }
        try? await channel.closeFuture.get()
        closed()
    }

    /// Waits until the client has closed its sending side or the connection is closed.
    func waitForClose() async throws {
        try await wait("the client's close") { $0.isClosed ? () : nil }
    }

    // MARK: Internals

    func arrived(_ buffer: ByteBuffer) {
        let replies = look { $0.take(Array(buffer.readableBytesView)) }
        if !replies.isEmpty {
            channel.writeAndFlush(ByteBuffer(bytes: replies.flatMap(\.bytes)), promise: nil)
        }
        changes.changed()
    }

    func closed() {
        state.withLock { $0.isClosed = true }
        changes.changed()
    }

    func scriptEnded() {
        state.withLock { $0.scriptHasEnded = true }
        changes.changed()
    }

    func waitForScript() async throws {
        let deadline = deadline
        while !look({ $0.scriptHasEnded }) {
            let version = changes.version
            if look({ $0.scriptHasEnded }) { return }
            try await change(since: version, by: deadline, "the end of the script")
        }
    }

    /// Waits without a limit until the client has closed or the task is cancelled.
    func hang() async {
        while !Task.isCancelled {
            let version = changes.version
            if isClosed { return }
            _ = await changes.change(since: version, by: nil)
        }
    }

    func look<T: Sendable>(_ work: (inout PeerState) throws -> T) rethrows -> T {
        try state.withLock { try work(&$0) }
    }

    /// Calls a closure at each change until it returns a value.
    ///
    /// - Throws: ``PeerError`` of kind `timeout` if that took too long, of kind `closed` if the client will send
    ///   nothing more, `CancellationError`, and what the closure throws.
    func wait<T: Sendable>(_ what: String, _ work: (inout PeerState) throws -> T?) async throws -> T {
        let deadline = deadline
        while true {
            let version = changes.version
            let (found, isClosed) = try look { (try work(&$0), $0.isClosed) }
            if let found { return found }
            if isClosed { throw error(.closed, "closed while the script waited for \(what)") }
            try await change(since: version, by: deadline, what)
        }
    }

    /// Runs an operation of the channel, within the peer's patience.
    ///
    /// - Throws: ``PeerError`` of kind `timeout`, or of kind `closed` if the channel is closed.
    func limited(_ what: String, _ work: () -> EventLoopFuture<Void>) async throws {
        // The promise takes the first result and ignores later ones.
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let timer = channel.eventLoop.scheduleTask(deadline: deadline) {
            promise.fail(self.error(.timeout, "\(what) took more than \(self.patience)"))
        }
        defer { timer.cancel() }
        work().cascade(to: promise)
        do {
            try await promise.futureResult.get()
        } catch {
            throw error as? PeerError ?? self.error(.closed, "\(what) failed: \(error)")
        }
    }

    func error(_ kind: PeerError.Kind, _ message: String) -> PeerError {
        PeerError(kind, "connection \(number): \(message)", log: log)
    }

    private var deadline: NIODeadline { .now() + TimeAmount(patience) }

    private func change(since version: Int, by deadline: NIODeadline, _ what: String) async throws {
        guard await !changes.change(since: version, by: deadline) else { return }
        try Task.checkCancellation()
        throw error(.timeout, "no \(what) within \(patience)")
    }
}

/// The handler next to the socket: closing from here goes past TLS.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
    func closeNow() { context?.close(promise: nil) }
}

/// Passes received bytes to the connection.
final class PeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: PeerConnection

    init(connection: PeerConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.arrived(Self.unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent { connection.closed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.closed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.closed()
        context.close(promise: nil)
    }
}

/// A failed expectation shows its values, but must not read the event loop, which runs meanwhile.
extension PeerConnection: CustomStringConvertible, CustomReflectable {
    var description: String { "connection \(number)" }

    var customMirror: Mirror { Mirror(self, children: ["number": number]) }
}
