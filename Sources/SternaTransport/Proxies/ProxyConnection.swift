import NIOCore
import NIOHTTP2
import SternaCore
import SternaSecurity

/// A connection to a proxy that carries many tunnels at a time, each a stream (RFC 9113, 8.5).
///
/// Here the streams are channels of the library: each tunnel carries a connection of its own, and there are few of them.
// Invariant: everything is touched on the channel's event loop only.
final class ProxyConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The target of a tunnel's receive window, in bytes, once its reader has read.
    static let tunnelWindow = 512 << 10

    /// The initial window of a tunnel, in bytes (RFC 9113, 6.9.2).
    static let initialWindow = 65_535

    /// The connection's receive window, in bytes, which all tunnels share.
    private static let connectionWindow = 16 << 20

    /// The most tunnels that one connection opens, so that its identifiers do not run out.
    private static let mostTunnels = 1 << 24

    private enum State {
        /// Takes tunnels.
        case open

        /// Takes no new tunnels, and closes with the last one.
        case retired

        /// Is being closed.
        case closing
    }

    let key: ProxyConnections.Key

    /// The policy's rotating identity when the handshake began.
    let rotation: ClientIdentity?
    private let registry: ProxyConnections
    private let idleTimeout: TimeAmount
    private let life: ConnectionLife
    private let clock: NetworkClock
    private let multiplexer: HTTP2StreamMultiplexer
    private let watch: GoAwayWatch
    private var context: ChannelHandlerContext?
    private var peer = PeerSettings()
    private var receiveWindow = initialWindow

    /// The number of streams, including those whose end the network has not taken yet.
    private var streamCount = 0

    /// The tunnels in use.
    private var tunnels: [ObjectIdentifier: TunnelStream] = [:]
    private(set) var tunnelCount = 0

    /// The latest stream whose beginning was sent to the proxy, and later streams that were given up before theirs was sent.
    private var lastBegun = HTTP2StreamID.rootStream
    private var unwanted: Set<HTTP2StreamID> = []

    /// The TLS handler's context in the pipeline; a close from there bypasses the handler.
    var tlsContext: ChannelHandlerContext?
    private var idleTimer: ClockTimer?

    private var state = State.open

    /// Whether the proxy has sent GOAWAY.
    private(set) var hasGoneAway = false

    /// Called once, when the proxy has announced how many tunnels it takes, or is gone.
    private var whenReady: (() -> Void)?

    /// - Parameter multiplexer: precedes the handler in the pipeline.
    init(
        _ key: ProxyConnections.Key, rotation: ClientIdentity?, in registry: ProxyConnections, watch: GoAwayWatch,
        multiplexer: HTTP2StreamMultiplexer, idleTimeout: TimeAmount, life: ConnectionLife,
        clock: NetworkClock
    ) {
        self.clock = clock
        self.key = key
        self.rotation = rotation
        self.registry = registry
        self.watch = watch
        self.multiplexer = multiplexer
        self.idleTimeout = idleTimeout
        self.life = life
    }

    var remoteAddress: SocketAddress? { context?.channel.remoteAddress }
    var localAddress: SocketAddress? { context?.channel.localAddress }

    /// Whether the connection takes one more tunnel.
    var hasRoom: Bool {
        context?.channel.isActive == true && state == .open && streamCount < (peer.isKnown ? peer.maximumStreams : 1)
            && tunnelCount < Self.mostTunnels && !isOld
    }

    // The limit of uses applies to the connections inside the tunnels, so only the age counts here.
    private var isOld: Bool { context != nil && life.isOver(after: 0, at: clock.now) }

    /// Calls the closure once it is known how many tunnels the proxy takes: more would be refused.
    func onReady(_ act: @escaping () -> Void) {
        assert(context?.eventLoop.inEventLoop != false)
        if peer.isKnown || context == nil { return act() }
        whenReady = act
    }

    private func ready() {
        whenReady?()
        whenReady = nil
    }

    // MARK: Tunnels

    /// Opens a tunnel.
    ///
    /// - Parameters:
    ///   - stream: sends the request, and has a promise of this event loop.
    ///   - begun: receives the channel whose closing ends the tunnel, before the request is sent.
    func open(
        _ stream: TunnelStream, _ begun: @escaping @Sendable (any Channel) -> Void
    ) -> EventLoopFuture<TunnelChannel> {
        assert(context?.eventLoop.inEventLoop != false)
        streamCount += 1
        tunnelCount += 1
        tunnels[ObjectIdentifier(stream)] = stream
        stream.whenOver = { self.left(stream) }
        idleTimer?.cancel()
        idleTimer = nil
        let made = stream.promise.futureResult.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: made) { channel in
            channel.eventLoop.makeCompletedFuture {
                begun(channel)
                try channel.syncOptions?.setOption(.autoRead, value: false)
                try channel.pipeline.syncOperations.addHandler(stream)
            }
        }
        made.futureResult.whenComplete { result in
            switch result {
            case .success(let channel):
                channel.closeFuture.whenComplete { _ in self.streamCount -= 1 }
                // A channel that was made after the connection was lost never becomes active.
                if channel.isActive { return }
                channel.close(promise: nil)
            case .failure: self.streamCount -= 1
            }
            stream.giveUp()
        }
        return stream.promise.futureResult
    }

    private func left(_ stream: TunnelStream) {
        tunnels[ObjectIdentifier(stream)] = nil
        if let id = stream.id, id > lastBegun { unwanted.insert(id) }
        guard tunnels.isEmpty else { return }
        if state != .open || registry.isOver || isOld { return close() }
        guard let loop = context?.eventLoop else { return }
        let limit = life.idleLimit(since: clock.now, patience: idleTimeout)
        idleTimer = clock.schedule(at: limit, on: loop) { self.closeIfIdle() }
    }

    /// Stops taking new tunnels.
    func retire() {
        assert(context?.eventLoop.inEventLoop != false)
        takeNoMore()
        closeIfIdle()
    }

    private func takeNoMore() {
        if state == .open { state = .retired }
        ready()
    }

    /// Closes the connection if it carries no tunnel.
    func closeIfIdle() {
        assert(context?.eventLoop.inEventLoop != false)
        if tunnels.isEmpty { close() }
    }

    // Closes the connection in order.
    private func close() {
        takeNoMore()
        guard let context, state != .closing else { return }
        state = .closing
        let goodbye = HTTP2Frame.FramePayload.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: goodbye)), promise: nil)
        context.close(promise: nil)
    }

    /// Closes the connection and its tunnels at once: an orderly TLS close would wait for up to half a second.
    func abort() {
        assert(context?.eventLoop.inEventLoop != false)
        state = .closing
        ready()
        for stream in tunnels.values { stream.giveUp() }
        (tlsContext ?? context)?.close(promise: nil)
    }

    // MARK: From the proxy

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Lets the proxy send more than the initial window; called when the handlers before this one are in place.
    func openWindow() { allow(Self.connectionWindow - receiveWindow) }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        tlsContext = nil
        registry.remove(self)
        ready()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)):
            _ = peer.take(settings)
            registry.note(key, maximumTunnels: peer.maximumStreams)
            ready()
        case .goAway:
            hasGoneAway = true
            // Requests that have not been sent yet never will be.
            for stream in tunnels.values where stream.isAsking && stream.id ?? .maxID > lastBegun { stream.giveUp() }
            retire()
        default: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? NIOHTTP2StreamCreatedEvent { return begun(event.streamID) }
        guard let event = event as? NIOHTTP2WindowUpdatedEvent, event.streamID == .rootStream,
            let left = event.inboundWindowSize
        else { return }
        receiveWindow = left
        // Each tunnel's own window limits how much is stored.
        if left <= Self.connectionWindow / 2 { allow(Self.connectionWindow - left) }
    }

    // Resets a stream that was given up while it waited to be sent: nothing else ends it.
    private func begun(_ id: HTTP2StreamID) {
        lastBegun = max(lastBegun, id)
        guard unwanted.remove(id) != nil else { return }
        context?.writeAndFlush(
            wrapOutboundOut(HTTP2Frame(streamID: id, payload: .rstStream(.cancel))), promise: nil)
    }

    private func allow(_ more: Int) {
        receiveWindow += more
        let frame = HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: more))
        context?.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    // Errors of one tunnel are reported to that tunnel.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard watch.code != nil || !(error is any NIOHTTP2Error) else { return }
        registry.remove(self)
        abort()
    }

    func channelInactive(context: ChannelHandlerContext) {
        idleTimer?.cancel()
        registry.remove(self)
        takeNoMore()
        context.fireChannelInactive()
    }
}
