import NIOCore
import NIOHTTP2

/// Manages one HTTP/2 connection as a whole: counts its streams, and ends it when it has been idle, has reached its number of
/// requests, or the client has broken the protocol.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let core: ServerCore
    let number: Int
    let anchor: ConnectionAnchor.Handle
    let wire: HTTP2Wire
    private(set) var remoteAddress = ""
    private(set) var localAuthority = ""
    /// The number of bytes that a client may send on a stream ahead of its reader.
    let streamWindow: Int
    private let requestLimit: Int?
    private var context: ChannelHandlerContext?
    private var openStreams = 0
    private var streamsBegun = 0
    private var lastStream = HTTP2StreamID.rootStream
    /// Whether the client has acknowledged the server's settings.
    private(set) var hasAcknowledgedSettings = false
    private var isGoingAway = false
    private var isEnding = false
    private var idleSince = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?

    init(
        core: ServerCore, number: Int, anchor: ConnectionAnchor.Handle, wire: HTTP2Wire, settings: ServerHTTP2Settings
    ) {
        self.core = core
        self.number = number
        self.anchor = anchor
        self.wire = wire
        self.streamWindow = settings.streamWindow
        self.requestLimit = settings.requestsPerConnection.map { max(1, $0) }
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        remoteAddress = context.channel.remoteAddress?.ipAddress ?? ""
        localAuthority = context.channel.localAuthority
        scheduleIdleCheck(context: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        idleTimer?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        idleTimer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .settings(.ack) = Self.unwrapInboundIn(data).payload { hasAcknowledgedSettings = true }
    }

    /// NIO has answered an error of a single stream on that stream, and a connection error by a `GOAWAY` with its code.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is any NIOHTTP2Error else { return context.close(promise: nil) }
        if wire.hasSentError { end() }
    }

    private func scheduleIdleCheck(context: ChannelHandlerContext) {
        guard let limit = core.idleTimeout.map({ min(TimeAmount($0), .hours(8760)) }) else { return }
        let now = NIODeadline.now()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        idleTimer = context.eventLoop.scheduleTask(deadline: openStreams == 0 ? idleSince + limit : now + limit) {
            let handler = bound.value
            guard let context = handler.context else { return }
            if handler.openStreams == 0 && NIODeadline.now() >= handler.idleSince + limit {
                handler.goAway()
            } else {
                handler.scheduleIdleCheck(context: context)
            }
        }
    }

    // MARK: Streams

    func streamBegan(_ stream: HTTP2StreamID) {
        openStreams += 1
        streamsBegun += 1
        lastStream = max(lastStream, stream)
        core.streamOpened()
        if streamsBegun == requestLimit { goAway() }
    }

    func streamEnded() {
        openStreams -= 1
        idleSince = .now()
        core.streamClosed()
        endIfDone()
    }

    // MARK: Closing

    /// Accepts no more streams, and ends the connection once the open ones are complete.
    private func goAway() {
        guard !isGoingAway, let context else { return }
        isGoingAway = true
        let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil)
        let frame = HTTP2Frame(streamID: .rootStream, payload: payload)
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
        endIfDone()
    }

    private func endIfDone() {
        guard isGoingAway, openStreams == 0, let context else { return }
        // A stream counts as closed before its last frame is flushed.
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.end() }
    }

    /// Stops sending and gives the client time to close, so that a reset does not lose sent bytes.
    private func end() {
        guard !isEnding, let context else { return }
        isEnding = true
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: ServerConnectionHandler.lingerTime) { channel.close(promise: nil) }
    }
}
