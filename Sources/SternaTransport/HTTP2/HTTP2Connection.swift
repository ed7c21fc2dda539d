import HTTPTypes
import NIOCore
import NIOHTTP2
import SternaCore
import SternaSecurity
import Synchronization

/// One HTTP/2 connection: a table of streams directly on the frames of the library that encodes and decodes them.
///
/// It belongs to its shard, and carries exchanges of all event loops. It takes new ones until it is retired: by the peer
/// (GOAWAY), by its age, or when identifiers run out. It then closes with its last stream.
// Invariant: everything is touched on the channel's event loop only.
final class HTTP2Connection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The endpoint that it was opened for, and all endpoints that it serves.
    let endpoint: Endpoint
    var endpoints: [Endpoint]
    let shard: Shard
    private(set) var context: ChannelHandlerContext?
    var streams: [HTTP2StreamID: HTTP2Stream] = [:]
    private(set) var nextID: Int32? = 1

    /// The stream of the latest frame.
    var lastStream: HTTP2Stream?
    var peer: PeerSettings
    var tuner: WindowTuner
    var health: ConnectionHealth

    /// The connection's send window, and the order in which streams send.
    var sendWindow = 65_535
    var sendQueue = SendQueue<HTTP2StreamID>()
    var secretNames = SecretNames()
    var isPumping = false

    /// Whether the maximum number of bytes waits for the network.
    var isHeld = false

    /// The stream whose fields are being written.
    var sending: HTTP2Stream?
    private var isReading = false
    private var isFlushing = false
    private var mustFlush = false

    /// Streams with content for their readers from the present read.
    private var toDeliver: [HTTP2Stream] = []
    private var delivered: [HTTP2Stream] = []

    /// When bytes were read last.
    private(set) var lastRead: NIODeadline

    var resets = SentResets()

    /// Exchanges with an extended CONNECT that wait for the peer's settings.
    var awaitingSettings: [Exchange] = []

    /// Whether a probe is due at the end of the present read, after the acknowledgements of the peer's PINGs.
    var owesProbe = false

    /// The number of consecutive frames without content.
    var emptyCount = 0

    /// The peer's reason for GOAWAY, if it gave one.
    var goodbye: String?

    /// The connection's receive window, as the library last reported it.
    var receiveWindow = 65_535

    /// A stream that the library has reset, until the library reports the reason.
    var faulty: HTTP2Stream?

    /// Detects that the library ends the connection because the peer broke the protocol.
    let watch: GoAwayWatch
    let gatherer: WriteGatherer
    let meter: FrameMeter
    var tlsContext: ChannelHandlerContext?
    var rotation: ClientIdentity?
    var opening: DialTimeline?

    /// The number and addresses; nil until a stream with metrics needs them.
    var facts: ConnectionFacts?
    var tlsVersion: String?
    private(set) var exchangeCount = 0

    /// Whether the peer has completed a response, or its GOAWAY says that it handles a request.
    var servesRequests = false
    var lastActivity: NIODeadline
    var hasStoodIdle = false

    /// Whether the peer has sent GOAWAY.
    var isLeft = false
    var usesWhileWaitedFor = 0

    /// Whether waiters are being served. Prevents an exchange that ends at once from serving others re-entrantly.
    var isServing = false
    private let life: ConnectionLife

    /// The state of the connection. From the end of its dial on, it holds the permit that it was opened with.
    var state = ConnectionState.dialling
    var isClosing: Bool { state.isClosing }

    /// Whether it takes no new exchanges.
    var isRetired: Bool { state.isRetired }

    init(endpoint: Endpoint, shard: Shard, watch: GoAwayWatch, gatherer: WriteGatherer, meter: FrameMeter) {
        self.endpoint = endpoint
        endpoints = [endpoint]
        self.shard = shard
        self.watch = watch
        self.gatherer = gatherer
        self.meter = meter
        let now = shard.clock.now
        life = ConnectionLife(shard.options, from: now)
        lastActivity = now
        lastRead = now
        peer = PeerSettings(maximumStreams: endpoint.knownStreams.load(ordering: .relaxed))
        let options = shard.options.http2
        tuner = WindowTuner(maximum: options.maximumWindow)
        health = ConnectionHealth(options, at: now)
    }

    // MARK: Capacity

    /// The number of exchanges that the connection can take now.
    var freeStreams: Int {
        guard takesWrites, !isRetired, endpoint.stillShows(rotation), !isWornOut, !isOverdue else { return 0 }
        return max(0, peer.maximumStreams - streams.count - max(0, resets.count - resetLimit))
    }

    /// The number of resets that the peer may not have processed, beyond which the connection takes fewer exchanges.
    var resetLimit: Int { max(32, peer.maximumStreams) }

    /// Whether the channel is writable. Frames written while it is not would wait in the library.
    var takesWrites: Bool { !isClosing && context?.channel.isWritable == true }

    // A PING has not been answered in time.
    var isOverdue: Bool { health.isAsking && health.isOverdue(at: shard.clock.now) }

    /// Whether the connection carries no exchange, and none waits for its settings.
    var isUnused: Bool { streams.isEmpty && !awaitingSettings.contains { $0.listIndex != nil } }

    /// Whether the peer takes no streams at the moment, and more connections would not change that.
    var isOnHold: Bool { !isRetired && !isClosing && peer.isKnown && peer.maximumStreams == 0 }

    /// Returns whether the connection can take an exchange that was refused or lost elsewhere.
    func takes(_ exchange: Exchange) -> Bool {
        guard freeStreams > 0 else { return false }
        guard exchange.needsFreshConnection else { return true }
        // If no other connection may be opened, this one is tried again.
        let isRefused = exchange.refusedBy === self && endpoint.maximumConnections > 1
        return !isRefused && (exchangeCount == 0 || shard.clock.now - health.lastReceived < .seconds(1))
    }

    private var isWornOut: Bool { life.isOver(after: exchangeCount, at: shard.clock.now) }

    /// The idle deadline.
    var idleLimit: NIODeadline { life.idleLimit(since: lastActivity, patience: shard.idleTimeout) }

    /// Closes the connection once its last exchange has ended, if it takes no further ones.
    func closeIfDone() {
        if isUnused, isRetired || isWornOut || !endpoint.stillShows(rotation) { close() }
    }

    // MARK: Exchanges

    /// Sends an exchange's request on a stream of its own.
    func start(_ exchange: Exchange) {
        shard.loop.assertInEventLoop()
        guard let context, !isClosing, let id = nextID else {
            state.retire()
            return shard.putBack(exchange)
        }
        if exchange.isWarmUp {
            shard.remove(exchange)
            exchange.endWarmUp()
            return shard.streamsChanged(on: self)
        }
        if exchange.request.delivery == .duplex, !mayConnect(exchange) { return }
        let stream = HTTP2Stream(self, id: HTTP2StreamID(Int(id)), for: exchange.endpoint)
        stream.opening = opening
        opening = nil
        stream.take(exchange)
        meter.budget.earn(FrameBudget.request)
        exchangeCount += 1
        if exchangeCount > 1 { shard.counts.reuses += 1 }
        lastActivity = shard.clock.now
        // Identifiers go up by two and are never used again.
        let (following, hasRunOut) = id.addingReportingOverflow(2)
        nextID = hasRunOut ? nil : following
        if hasRunOut { state.retire() }
        shard.tickNoLater(than: health.begin(at: lastActivity))
        do throws(SternaError) {
            try stream.send(over: context)
        } catch {
            // Nothing was written yet.
            if streams[stream.id] == nil { nextID = id }
            exchange.requestSent = false
            stream.responseHalf = .removed
            stream.fail(error, nil)
            return shard.streamsChanged(on: self)
        }
    }

    // Returns whether the peer takes an extended CONNECT. Before its settings have arrived the exchange waits for them; if it does not,
    // the exchange goes to an HTTP/1 connection (RFC 8441, 3).
    private func mayConnect(_ exchange: Exchange) -> Bool {
        if peer.takesExtendedConnect { return true }
        guard peer.isKnown else {
            awaitingSettings.append(exchange)
            shard.tickNoLater(than: health.begin(at: shard.clock.now))
            return false
        }
        exchange.endpoint.requiresHTTP1.store(true, ordering: .relaxed)
        if exchange.endpoint === endpoint { state.retire() } else { leave(exchange.endpoint) }
        // Nothing was sent, so this does not count as an attempt.
        shard.putBack(exchange)
        closeIfDone()
        return false
    }

    /// Starts the exchanges that waited for the peer's settings.
    func startAwaiting() {
        let exchanges = awaitingSettings
        awaitingSettings = []
        // Those that have ended meanwhile are in no list any more.
        for exchange in exchanges where exchange.listIndex != nil {
            if freeStreams > 0 || !peer.takesExtendedConnect { start(exchange) } else { shard.putBack(exchange) }
        }
    }

    /// Sends the exchanges that waited for the peer's settings on another connection.
    func moveAwaiting(_ error: @autoclosure () -> SternaError) {
        let exchanges = awaitingSettings
        awaitingSettings = []
        for exchange in exchanges where exchange.listIndex != nil {
            exchange.fruitlessMoves += 1
            if exchange.mayMove, !exchange.isCancelled {
                shard.putBack(exchange)
            } else {
                shard.abandon(exchange, error())
            }
        }
    }

    /// Removes a stream that has ended, and resets it with a code if the peer does not know of its end.
    func ended(_ stream: HTTP2Stream, reset code: HTTP2Code?) {
        shard.loop.assertInEventLoop()
        guard stream.isListed else { return }
        let hasReceivedEnd = stream.responseHalf == .ended
        stream.responseHalf = .removed
        streams[stream.id] = nil
        if lastStream === stream { lastStream = nil }
        if hasReceivedEnd {
            servesRequests = true
        } else {
            // Pays for the frames of this stream that the peer has already sent.
            meter.budget.earn(stream.receiveWindow.size + FrameBudget.request)
        }
        if !sendQueue.isEmpty { sendQueue.remove(stream.id) }
        lastActivity = shard.clock.now
        if let code, let context, !isClosing {
            context.write(wrapOutboundOut(HTTP2Frame(streamID: stream.id, payload: .rstStream(code))), promise: nil)
            countReset()
            flushSoon()
        }
        shard.streamsChanged(on: self, hasEnded: true)
        closeIfDone()
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        meter.connection = self
    }

    /// Lets the peer send more over all streams together than the protocol's initial window.
    func openWindow() { allow(Self.connectionWindow - 65_535, on: .rootStream) }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        meter.connection = nil
        tlsContext = nil
        state.beginClosing()
        lost(because: nil)
        toDeliver = []
        faulty = nil
        channelIsGone()
    }

    /// Completes the dial. Returns false if the connection was lost meanwhile.
    func establish() -> Bool {
        guard state.establish() else { return false }
        shard.counts.open += 1
        return true
    }

    /// Gives the permit back, once, when the channel is gone.
    func channelIsGone() {
        if state.end() { shard.closed(self) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        if !isReading {
            // Bytes of one read have arrived at one moment.
            isReading = true
            lastRead = shard.clock.now
            health.received(at: lastRead)
        }
        received(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        swap(&toDeliver, &delivered)
        for stream in delivered { stream.deliver() }
        delivered.removeAll(keepingCapacity: true)
        endFaulty(nil)
        sendProbe()
        pump()
        // Frames written while frames were read have been flushed by now.
        if mustFlush { flush() }
        context.fireChannelReadComplete()
    }

    /// Wakes a stream's reader once the present read has been processed.
    func deliverLater(_ stream: HTTP2Stream) {
        if toDeliver.last !== stream { toDeliver.append(stream) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            creditAll()
            pump()
            shard.streamsChanged(on: self)
        }
        context.fireChannelWritabilityChanged()
    }

    /// Flushes once for all that is written in this turn of the event loop.
    func flushSoon() {
        shard.loop.assertInEventLoop()
        mustFlush = true
        guard !isReading, !isFlushing else { return }
        isFlushing = true
        shard.loop.execute {
            self.isFlushing = false
            self.pump()
            if self.mustFlush { self.flush() }
        }
    }

    func flush() {
        mustFlush = false
        context?.flush()
    }
}

/// Detects whether the library ends the connection because the peer breaks the protocol: nothing else distinguishes its errors.
// Invariant: touched on the channel's event loop only.
final class GoAwayWatch: NIOHTTP2FrameDelegate, @unchecked Sendable {
    /// Whether GOAWAY was sent, and with which error.
    private(set) var code: HTTP2Code?

    /// Earns credit for sent frames; set where the library's own streams send.
    var meter: FrameMeter?

    func wroteFrame(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .goAway(_, let code, _): self.code = code
        case .data(let piece): meter?.budget.earn(piece.data.readableBytes + FrameBudget.sentFrame)
        case .headers: meter?.budget.earn(FrameBudget.request)
        default: break
        }
    }
}
