import HTTPTypes
import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// An HTTP/1 connection: a single handler at the end of the channel's pipeline that writes requests and reads responses, one
/// exchange at a time, without pipelining.
///
/// The connection belongs to its shard, which assigns exchanges to it and takes it back when they end. It is idle, carries an
/// exchange, or is closed for good.
// Invariant: everything is touched on the channel's event loop only.
final class HTTP1Connection: ExchangeCodec, ChannelDuplexHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias OutboundIn = Never
    typealias OutboundOut = Bytes

    private(set) var context: ChannelHandlerContext?

    /// The TLS handler's context, if any; closing from it bypasses that handler.
    var tlsContext: ChannelHandlerContext?

    /// The policy's rotating identity when the handshake began.
    var rotation: ClientIdentity?
    var spokenTLSVersion: String?

    // Invariant: accesses never overlap, since a parser and a buffer call no other code.
    @exclusivity(unchecked) private var parser: ResponseParser
    @exclusivity(unchecked) private var output = Bytes()
    var head: ResponseHead?

    /// Whether the current body uses chunked coding.
    private(set) var isChunked = false

    /// Whether the request asks for the connection to be closed after the response.
    private(set) var closesBehind = false

    /// The connection's state; from the end of its dial on, it holds the dial's permit.
    var state = ConnectionState.dialling
    private var readIsHeld = false
    private var readsAreLarge = false

    /// Whether the end of the server's direction is an event of its own.
    private var mayHalfClose = false

    /// Whether the connection was idle, so that the server may have closed it.
    var hasStoodIdle = false

    /// The number of consecutive requests while others wait for the connection's permit.
    var usesWhileWaitedFor = 0

    private let life: ConnectionLife

    /// How long the server keeps the connection, less a second, if it says so (Keep-Alive).
    private var serverPatience: TimeAmount?

    /// The state of discarding an unread body; nil otherwise.
    var drain: Drain?

    /// The timer of a rest; nil outside of one.
    var rest: Scheduled<Void>?

    /// How long a rest lasts.
    var restTime = KeptConnectionRule.shortestRest

    /// Whether the exchange before the current one was a HEAD.
    private var followsHead = false

    private var socket: ChannelSocket?

    /// When the response before the current exchange ended.
    private(set) var previousEnd: NIODeadline

    init(endpoint: Endpoint, shard: Shard, limits: Limits) {
        parser = ResponseParser(limits: limits)
        let now = shard.clock.now
        life = ConnectionLife(shard.options, from: now)
        previousEnd = now
        super.init(endpoint: endpoint, shard: shard)
    }

    var isClosing: Bool { state.isClosing }
    override var channel: (any Channel)? { context?.channel }
    override var tlsVersion: String? { spokenTLSVersion }
    override var hasHead: Bool { head != nil }
    override var isReadHeld: Bool { readIsHeld }
    override var unwrittenBytes: Int { context?.channel.unwrittenBytes ?? 0 }
    override var takesFileRegions: Bool { tlsContext == nil }
    override var isOpen: Bool { context != nil && !isClosing }
    override var hasRoom: Bool { context?.channel.isWritable ?? false }
    override func write(_ piece: BodyPiece, _ promise: EventLoopPromise<Void>) { writeFramed(piece, promise) }
    override func flush() { context?.flush() }
    override func endBody(_ trailers: HTTPFields?) throws(SternaError) -> Bool {
        try writeEnd(trailers)
        return true
    }
    override func fail(_ error: SternaError) { end(with: error) }
    override func writeDirectly(_ bytes: Bytes) {
        throughput.sent += bytes.readableBytes
        context?.write(wrapOutboundOut(bytes), promise: nil)
    }
    override func finishOutput() {
        guard let context else { return }
        // After the bytes so far: once the server's direction has ended, closing this one drops what has not left yet.
        let written = shard.loop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [weak self] in
            self?.context?.close(mode: .output, promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(Bytes()), promise: written)
        if unwrittenBytes > 0 { outputWaits() }
    }
    override func resumeInput() { resumeReading() }

    /// Whether the connection can take an exchange.
    var isUsable: Bool {
        context != nil && !isClosing && exchange == nil && pipe == nil && drain == nil && endpoint.stillShows(rotation)
            && !life.isOver(after: exchangeCount, at: shard.clock.now)
    }

    /// What the event loop will read next; called on the event loop.
    var unreadInput: UnreadInput {
        guard let channel = context?.channel, channel.isActive else { return .end }
        let socket = self.socket ?? ChannelSocket(of: channel)
        self.socket = socket
        return socket.unreadInput
    }

    /// Idle deadline.
    var idleLimit: NIODeadline {
        life.idleLimit(since: lastActivity, patience: min(shard.idleTimeout, serverPatience ?? shard.idleTimeout))
    }

    /// Records the dial's success. Returns false if the connection was lost meanwhile.
    func establish() -> Bool {
        guard state.establish() else { return false }
        shard.counts.open += 1
        return true
    }

    /// Handles the end of the channel: gives the permit back, once.
    private func channelIsGone() {
        endRest()
        if state.end() { shard.closed(self) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        tlsContext = nil
        // A channel that closes while it becomes active never calls `channelInactive`.
        channelIsGone()
    }

    // MARK: Starting

    /// Sends the request of an exchange.
    func start(_ exchange: Exchange) {
        guard let context, !isClosing else {
            // The connection closed before the request arrived; this does not count as an attempt.
            return shard.putBack(exchange)
        }
        if exchange.isWarmUp { return warmedUp(exchange) }
        if KeptConnectionRule.asksSocket(
            isFurtherAttempt: exchange.isFurtherAttempt, followsContentless: parser.isContentless),
            exchangeCount > 0, unreadInput != .nothing
        {
            // The server has closed the connection, or has sent bytes that belong to no request.
            abort()
            return shard.putBack(exchange)
        }
        (followsHead, previousEnd) = (parser.isHeadRequest, lastActivity)
        take(exchange)
        guard exchange.deadline > lastActivity else {
            exchange.phase = .queued
            return fail(exchange.timeoutError(.init(at: exchange.deadline, kind: .total)))
        }
        if exchangeCount > 1 { shard.counts.reuses += 1 }
        let request = exchange.request
        parser.begin(
            isHeadRequest: request.method == .head, followsProgress: request.options[ConfirmedProgressKey.self],
            mayBeSwitched: request.delivery == .duplex)
        if exchange.recorder != nil { noteStart(exchange) }
        if request.delivery == .duplex { allowHalfClosure(context) }

        let framing = RequestEncoder.framing(of: request)
        output.clear()
        do throws(SternaError) {
            closesBehind = try RequestEncoder.write(
                request, framing: framing, expectsContinue: framing != .length(0) && exchange.expectsContinue,
                forwarding: endpoint.forwarding, into: &output)
        } catch {
            fail(error)
            return
        }
        exchange.requestSent = true
        throughput.sent += output.readableBytes
        // A write may fail, and move the exchange to another connection, before it returns.
        guard let body = request.body, framing != .length(0) else {
            exchange.phase = .waiting
            if request.body != nil { report(TransferProgress(completed: 0, total: 0)) }
            context.writeAndFlush(wrapOutboundOut(output), promise: nil)
            if exchange.recorder != nil { noteSent() }
            return
        }
        isChunked = framing == .chunked
        let writer = BodyWriter(body, codec: self)
        meter = ProgressMeter(total: body.length)
        if exchange.expectsContinue {
            hold(writer)
            context.writeAndFlush(wrapOutboundOut(output), promise: nil)
            return
        }
        do throws(SternaError) {
            try writer.prepare()
        } catch {
            exchange.requestSent = false
            fail(error)
            return
        }
        if let bytes = writer.smallBytes {
            exchange.phase = .waiting
            writeWhole(bytes, behind: output, to: context)
            if exchange.recorder != nil { noteSent() }
            return
        }
        self.writer = writer
        watchWriting(exchange)
        context.write(wrapOutboundOut(output), promise: nil)
        writer.advance()
    }

    /// Ends a warm-up, which only needed the connection to open.
    private func warmedUp(_ exchange: Exchange) {
        shard.remove(exchange)
        hasStoodIdle = true
        shard.release(self)
        // Only after the release: the caller's next request must find the connection, and not open another.
        exchange.endWarmUp()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let previousActivity = lastActivity
        lastActivity = shard.clock.now
        let bytes = unwrapInboundIn(data)
        guard exchange != nil || pipe != nil else { return receivedUnasked(bytes) }
        throughput.received += bytes.readableBytes
        if let duplex, duplex.hasHandler { return shard.executor.wakingAfter { duplex.received(bytes) } }
        parser.append(bytes)
        if exchange?.recorder != nil, marks.firstByte == nil { marks.firstByte = lastActivity }
        if let exchange, exchange.phase != .reading { headBegins(exchange, waitingSince: previousActivity) }
        shard.executor.wakingAfter { parse() }
    }

    // The head's limit starts at the end of the request, or at the head's first byte if that arrives earlier.
    private func headBegins(_ exchange: Exchange, waitingSince start: NIODeadline) {
        let amounts = exchange.request.timeouts.amounts
        guard exchange.phase == .waiting else {
            if headLimit == nil { headBeginsNow(exchange) }
            return
        }
        headLimit = start + amounts.firstByte
        exchange.phase = .reading
        measureAnew()
        shard.tickNoLater(than: lastActivity + amounts.betweenBytes)
    }

    private func headBeginsNow(_ exchange: Exchange) {
        let limit = lastActivity + exchange.request.timeouts.amounts.firstByte
        headLimit = limit
        shard.tickNoLater(than: limit)
    }

    private func parse() {
        var isInterim = false
        do throws(ParseFailure) {
            while let event = try parser.next() {
                switch event {
                case .informational(let head):
                    if head.status == 100 { sendHeld() }
                    if let exchange { noteInformational(head.status, head.section, exchange) }
                    headLimit = nil
                    isInterim = true
                case .head(let head): try received(head)
                case .body(let bytes): received(bytes)
                case .end(let trailers):
                    finish(trailers)
                    return
                }
                if isClosing { return }
            }
            guard isInterim, head == nil, let exchange else { return }
            if parser.hasLeftover { headBeginsNow(exchange) } else { answerIsWaitedForAnew() }
        } catch {
            if followsHead, !parser.hasStatusLine { return receivedContentOfHead() }
            fail(SternaError(error.kind, phase: .read, error.detail))
        }
    }

    private func received(_ head: ResponseHead) throws(ParseFailure) {
        if head.status == 101 { try ProtocolSwitch.check(head.section, of: exchange?.request) }
        if held != nil, head.status == 417, let exchange, exchange.isPending, !exchange.isCancelled {
            exchange.omitsExpect = true
            if exchange.recorder != nil { noteHead(head.status, head.version, head.section, exchange) }
            detach()
            abort()
            shard.resubmit(exchange, because: .expectationRefused)
            return
        }
        self.head = head
        if let patience = head.patience { serverPatience = patience }
        if let exchange, exchange.recorder != nil { noteHead(head.status, head.version, head.section, exchange) }
        continueTimer?.cancel()
        exchange?.phase = .reading
        if let length = parser.bodyLength, length > Int64(Self.collectedBytes) { stream() }
    }

    private func received(_ bytes: Bytes) {
        if drain != nil { return drained(bytes.readableBytes) }
        if let pipe {
            pipe.push(bytes)
            return
        }
        if collected == nil {
            collected = bytes
        } else {
            var bytes = bytes
            collected?.writeBuffer(&bytes)
        }
        if let collected, collected.readableBytes > Self.collectedBytes { stream() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliverBody(at: lastActivity)
        if head != nil, pipe == nil, duplex == nil, exchange?.request.delivery.isStreamed == true {
            if head?.status == 101 { switchProtocols() } else { stream() }
        }
    }

    /// Resumes the caller with the head now; the body follows through a pipe.
    private func stream() {
        guard let exchange, let head, pipe == nil else { return }
        let loop = shard.loop
        let number = exchangeCount
        // The caller's next request may look for a connection before this one is notified that the body was abandoned.
        let isAwaited = parser.isPersistent && !closesBehind && KeptConnectionRule.awaitsBody(of: parser.bodyLength)
        let (awaiting, index) = (isAwaited ? endpoint : nil, shard.index)
        let pipe = BodyPipe(
            resume: { [weak self] in loop.execute { [weak self] in self?.resumeReading() } },
            abandon: { [weak self] in
                awaiting?.pools[index].expectConnection()
                loop.execute { [weak self] in
                    if self?.abandonBody(ofExchange: number, isAwaited: isAwaited) != true {
                        awaiting?.endExpectation(on: index)
                    }
                }
            })
        self.pipe = pipe
        if let collected {
            pipe.push(collected)
            self.collected = nil
        }
        if !readsAreLarge, parser.bodyLength.map({ $0 > Int64(Self.collectedBytes) }) ?? true { useLargeReads(true) }
        let body = ResponseBody(StreamedBody(pipe, length: parser.bodyLength))
        exchange.succeed(head.response(from: exchange.request.url, body: body))
    }

    // Before the response: the server's end may come in one read with it, and must not end this side's direction.
    private func allowHalfClosure(_ context: ChannelHandlerContext) {
        guard !mayHalfClose, let options = context.channel.syncOptions else { return }
        do {
            try options.setOption(.allowRemoteHalfClosure, value: true)
            mayHalfClose = true
        } catch {
            // The channel of a tunnel ends both directions at once.
        }
    }

    // The pipe's reads go on as those of a body, and bytes to a handler pass the parser by.
    private func switchProtocols() {
        guard let exchange, let head else { return }
        let loop = shard.loop
        let pipe = BodyPipe(
            resume: { [weak self] in loop.execute { [weak self] in self?.resumeReading() } }, abandon: {})
        self.pipe = pipe
        if let collected {
            pipe.push(collected)
            self.collected = nil
        }
        let duplex = switchProtocols(over: pipe)
        var response = head.response(from: exchange.request.url, body: ResponseBody())
        response.duplex = DuplexHandle(duplex)
        exchange.succeed(response)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The end of input is an event of its own only where the protocol may be switched.
        if mayHalfClose, let event = event as? ChannelEvent, event == .inputClosed {
            guard let duplex else { return (tlsContext ?? context).close(promise: nil) }
            return shard.executor.wakingAfter { duplex.inputEnded() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if pipe?.pauseIfFull() ?? duplex?.isPaused ?? false {
            readIsHeld = true
        } else {
            if readIsHeld { readGoesOn() }
            context.read()
        }
    }

    func resumeReading() {
        shard.loop.assertInEventLoop()
        guard readIsHeld else { return }
        readGoesOn()
        context?.read()
    }

    // The exchange waits for the server again.
    private func readGoesOn() {
        readIsHeld = false
        lastActivity = shard.clock.now
        measureAnew()
        if let exchange { shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.betweenBytes) }
    }

    // By the time this runs, the connection may carry another exchange. Returns whether the rest of the body is discarded.
    private func abandonBody(ofExchange number: Int, isAwaited: Bool) -> Bool {
        guard pipe != nil, number == exchangeCount else { return false }
        guard canDrain else {
            fail(.cancelled(phase: .read))
            return false
        }
        beginDrain(isAwaited: isAwaited)
        return true
    }

    // Large bodies use large reads, at a third of the cost of the usual ones.
    private func useLargeReads(_ large: Bool) {
        readsAreLarge = large
        context?.channel.setReadSize(large ? tlsContext == nil ? .large : .largeSealed : .usual)
    }
}

/// The unread rest of a body, which is discarded so that the connection can be reused.
struct Drain {
    /// The number of bytes that may still arrive.
    var left: Int
    let timer: ClockTimer
}

/// Discards the rest of a body that the caller does not read.
extension HTTP1Connection {
    /// The maximum number of bytes read to save the connection, and the maximum time for them.
    private static let drainedBytes = 64 << 10
    private static let drainTime = TimeAmount.milliseconds(250)

    /// Whether the rest of a body is so short that reading it costs less than another connection.
    private var canDrain: Bool {
        guard writer == nil, held == nil, !isClosing, exchange != nil, parser.isPersistent, let left = parser.remaining
        else { return false }
        return left <= Self.drainedBytes
    }

    /// Reads and discards the rest of the body, whose pipe was abandoned.
    ///
    /// - Parameter isAwaited: whether requests wait for the connection, for the length of a rest, before they dial another.
    private func beginDrain(isAwaited: Bool) {
        let timer = shard.clock.schedule(in: Self.drainTime, on: shard.loop) {
            if self.drain != nil { self.fail(.cancelled(phase: .read)) }
        }
        drain = Drain(left: Self.drainedBytes, timer: timer)
        if isAwaited { beginRest { self.endRest() } }
        resumeReading()
    }

    private func endDrain() {
        drain?.timer.cancel()
        drain = nil
        endRest()
    }

    func drained(_ bytes: Int) {
        drain?.left -= bytes
        if let left = drain?.left, left < 0 { fail(.cancelled(phase: .read)) }
    }
}

/// Ends exchanges and the connection.
extension HTTP1Connection {
    func finish(_ trailers: HTTPFields?) {
        if duplex == nil, head?.status == 101 { switchProtocols() }
        if duplex != nil { return switchedEnds() }
        guard let exchange, let head else { return }
        let hasSentAll = held == nil && writer?.hasHandedAll != false && isDrained(exchange.request)
        let isReusable = parser.isPersistent && !closesBehind && !parser.hasLeftover && !isClosing && hasSentAll
        if parser.isHeadRequest, parser.hasLeftover { endpoint.headConduct.withLock { $0.sentContent() } }
        let body = collected
        let pipe = pipe
        if exchange.recorder != nil { noteEnd(exchange) }
        detach()
        // The connection is released before the caller wakes, so that the caller's next request finds it.
        if isReusable {
            if readsAreLarge { useLargeReads(false) }
            if parser.isHeadRequest { releaseAfterHead() } else { shard.release(self) }
        } else if hasSentAll, !endpoint.isPermitWanted {
            close()
        } else {
            abort()
        }
        if let pipe {
            exchange.end(pipe, .success(trailers))
        } else {
            let body = ResponseBody(body ?? Bytes(), trailers: trailers)
            shard.reply(to: exchange, head.response(from: exchange.request.url, body: body))
        }
    }

    /// Ends an exchange that has switched protocols, with the connection.
    private func switchedEnds() {
        guard let exchange, let duplex else { return }
        if exchange.recorder != nil { noteEnd(exchange) }
        detach()
        close()
        // An orderly end comes as the end of input, or after this side's; all others break the connection.
        let isOrderly = !mayHalfClose || duplex.hasInputEnded || duplex.hasFinished
        let error =
            isOrderly
            ? nil
            : exchange.complete(LostConnection.error(nil, hasHead: true, hasReceived: true, isWriting: true))
        shard.executor.wakingAfter { duplex.ended(error) }
    }

    // A response may arrive before the end of the body has left; the next request would have to wait for it.
    private func isDrained(_ request: Request) -> Bool {
        request.body == nil || context?.channel.unwrittenBytes ?? 0 == 0
    }

    func detach() {
        shard.loop.assertInEventLoop()
        if let exchange {
            shard.remove(exchange)
            exchange.codec = nil
            if !exchange.isPending { exchange.call?.end(exchange) }
        }
        exchange = nil
        head = nil
        collected = nil
        pipe = nil
        duplex = nil
        writer?.stop()
        writer = nil
        held = nil
        if drain != nil { endDrain() }
        continueTimer?.cancel()
        continueTimer = nil
        if readIsHeld {
            readIsHeld = false
            context?.read()
        }
    }

    /// Ends the exchange with an error and closes the connection.
    func end(with error: SternaError) {
        let exchange = exchange
        let pipe = pipe
        let duplex = duplex
        let head = head
        if exchange?.recorder != nil { noteFailure() }
        detach()
        abort()
        guard let exchange else { return }
        var error = exchange.complete(error)
        error.response = head?.response(from: exchange.request.url, body: ResponseBody())
        if head == nil, exchangeCount == 1 { error.isOfFirstResponse = true }
        if let duplex { return shard.executor.wakingAfter { duplex.ended(error) } }
        if let pipe { exchange.end(pipe, .failure(error)) } else { exchange.fail(error) }
    }

    /// Closes the connection for good.
    func close() {
        shard.loop.assertInEventLoop()
        guard !isClosing else { return }
        state.beginClosing()
        endRest()
        context?.close(promise: nil)
    }

    // An orderly TLS close would first write the remaining bytes, and then read for up to half a second what the peer still sends.
    func abort(evenIfClosing: Bool = false) {
        shard.loop.assertInEventLoop()
        guard !isClosing || evenIfClosing else { return }
        state.beginClosing()
        endRest()
        (tlsContext ?? context)?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of the connection follows and shows whether the response is complete.
        if TLSFault.isUncleanEnd(error), !endpoint.policy.tls.requiresCloseNotify { return }
        if !lost(because: error) { close() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let event = parser.finish(), case .end(let trailers) = event, exchange != nil {
            state.beginClosing()
            finish(trailers)
        } else {
            _ = lost(because: nil)
        }
        channelIsGone()
        context.fireChannelInactive()
    }

    /// Handles the loss of the connection during an exchange: resends the request if that is safe, otherwise fails it.
    private func lost(because cause: (any Error)?) -> Bool {
        guard let exchange, !isClosing else { return false }
        let sinceResponse = exchangeCount > 1 ? shard.clock.now - previousEnd : nil
        if !parser.hasReceived, exchangeCount > 1 || hasStoodIdle, exchange.mayRepeat(sinceResponse: sinceResponse) {
            detach()
            close()
            shard.resubmit(exchange, because: .staleConnection)
            return true
        }
        fail(
            TLSFault.late(parser.hasReceived ? nil : cause, host: endpoint.host)
                ?? TLSFault.broken(cause, host: endpoint.host)
                ?? LostConnection.error(
                    cause, hasHead: head != nil, hasReceived: parser.hasReceived, isWriting: writer != nil)
        )
        return true
    }
}

/// Rests: short times in which requests wait for a connection that is about to be free instead of dialling another.
///
/// They are measured by the event loop's clock, not by `NetworkClock`: they wait for bytes in transit, which a test's clock does
/// not delay.
extension HTTP1Connection {
    /// Begins a rest, after the pool has announced the connection.
    private func beginRest(_ isOver: @escaping @Sendable () -> Void) {
        rest = shard.loop.scheduleTask(in: restTime, isOver)
    }

    /// Ends the rest, if any: the connection is free, or requests no longer wait for it.
    private func endRest() {
        guard let timer = rest.take() else { return }
        timer.cancel()
        endpoint.pools[shard.index].hasRested(self)
        endpoint.endExpectation(on: shard.index)
    }

    // MARK: HEAD

    /// Gives the connection back after a response to HEAD, which content may follow.
    private func releaseAfterHead() {
        switch endpoint.headConduct.withLock({ $0.next }) {
        case .rest where !shard.isShutDown:
            let pool = endpoint.pools[shard.index]
            pool.expectConnection()
            pool.rest(self)
            shard.list(pool)
            beginRest { self.wasSilentAfterHead() }
        case .rest, .reuse: shard.release(self)
        case .close: if endpoint.isPermitWanted { abort() } else { close() }
        }
    }

    private func wasSilentAfterHead() {
        guard rest != nil else { return }
        // The event loop may have been too busy to read.
        guard unreadInput == .nothing else { return abort() }
        endpoint.headConduct.withLock { $0.wasSilent() }
        endRest()
        shard.release(self)
    }

    /// Handles bytes that belong to no request.
    private func receivedUnasked(_ bytes: Bytes) {
        // A server may end an idle connection with a response of its own, such as 408.
        if parser.isHeadRequest, rest != nil || !bytes.readableBytesView.starts(with: "HTTP/1.".utf8) {
            endpoint.headConduct.withLock { $0.sentContent() }
        }
        // No later response on this connection could be trusted.
        close()
    }

    /// Handles first bytes that are not a status line, on a connection whose previous exchange was a HEAD: they are its content.
    private func receivedContentOfHead() {
        endpoint.headConduct.withLock { $0.sentContent() }
        guard let exchange, exchange.mayRetryOnFreshConnection else {
            return fail(
                SternaError(
                    .malformedResponse, phase: .read,
                    "The server sent content after its response to the previous HEAD request on the same "
                        + "connection, so the response to this request cannot be recognized. The request may have been processed."
                ))
        }
        detach()
        abort()
        shard.resubmit(exchange, because: .staleConnection)
    }
}

/// A request's body in HTTP/1's framing (RFC 9112, 6 and 7).
extension HTTP1Connection {
    /// Writes the head and a small body in one piece.
    private func writeWhole(_ bytes: Bytes, behind head: Bytes, to context: ChannelHandlerContext) {
        var message = head
        message.writeImmutableBuffer(bytes)
        guard hasUploadObserver else {
            throughput.sent += bytes.readableBytes
            context.writeAndFlush(wrapOutboundOut(message), promise: nil)
            return
        }
        let promise = shard.loop.makePromise(of: Void.self)
        let (count, number) = (bytes.readableBytes, exchangeCount)
        promise.futureResult.assumeIsolated().whenSuccess { [weak self] in
            self?.bodyAdvanced(by: count, ofExchange: number)
        }
        context.writeAndFlush(wrapOutboundOut(message), promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            writer?.advance()
            duplex?.drain()
        }
        context.fireChannelWritabilityChanged()
    }

    private func writeFramed(_ piece: BodyPiece, _ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        if isChunked {
            var line = Bytes()
            line.writeString(String(piece.count, radix: 16))
            line.writeStaticString("\r\n")
            throughput.sent += line.readableBytes + 2
            context.write(wrapOutboundOut(line), promise: nil)
        }
        switch piece {
        case .bytes(let bytes): context.write(NIOAny(bytes), promise: promise)
        case .region(let region): context.write(NIOAny(region), promise: promise)
        }
        if isChunked { context.write(NIOAny(Bytes(staticString: "\r\n")), promise: nil) }
    }

    private func writeEnd(_ trailers: HTTPFields?) throws(SternaError) {
        guard isChunked else { return }
        let end = try Self.lastChunk(trailers ?? [:])
        throughput.sent += end.readableBytes
        context?.write(wrapOutboundOut(end), promise: nil)
    }

    private static func lastChunk(_ trailers: HTTPFields) throws(SternaError) -> Bytes {
        try TrailerFields.check(trailers)
        var lines = Bytes(staticString: "0\r\n")
        for field in trailers { lines.writeString("\(field.name.rawName): \(field.value)\r\n") }
        lines.writeStaticString("\r\n")
        return lines
    }
}
