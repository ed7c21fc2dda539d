import HTTPTypes
import NIOCore
import SternaCore
import SternaSecurity

/// One HTTP/1 connection: a single handler at the end of the channel's pipeline that writes requests and reads responses,
/// one exchange at a time, without pipelining.
///
/// It belongs to its shard, which gives it exchanges and takes it back when they end. It stands idle, or carries an
/// exchange, or is closed; a closed one never comes back.
// Invariant: everything is touched on the channel's event loop only.
final class HTTP1Connection: Carrier, ChannelDuplexHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias OutboundIn = Never
    typealias OutboundOut = Bytes

    private(set) var context: ChannelHandlerContext?

    /// The TLS handler's place in the pipeline where there is one; a close from there passes it over.
    var tlsContext: ChannelHandlerContext?

    /// What the policy's rotating identity was when the handshake began.
    var rotation: ClientIdentity?
    var spokenTLSVersion: String?

    var parser: ResponseParser
    private var output = Bytes()
    var head: ResponseHead?

    /// Whether the body under way is written in chunks.
    private(set) var isChunked = false

    /// Whether the request asks for the connection to be closed behind its answer.
    private(set) var closesBehind = false

    /// From the end of its dial on, it holds the permit that it was opened with.
    var state = ConnectionState.dialling
    var readIsHeld = false
    var readsAreLarge = false

    /// Whether nobody used it for a while, so that the server may have closed it.
    var hasStoodIdle = false

    /// How many requests it has carried on end while others wait for its permit.
    var usesWhileWaitedFor = 0

    private let life: ConnectionLife

    /// How long the server keeps it, where it has said so (Keep-Alive).
    var serverPatience: TimeAmount?

    /// Where a body that nobody reads on is thrown away: how much of it may still come.
    var drain: Drain?

    init(endpoint: Endpoint, shard: Shard, limits: Limits) {
        parser = ResponseParser(limits: limits)
        life = ConnectionLife(shard.options, from: shard.clock.now)
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

    /// Whether it can take an exchange.
    var isUsable: Bool {
        context != nil && !isClosing && exchange == nil && pipe == nil && drain == nil && endpoint.stillShows(rotation)
            && !life.isOver(after: exchangeCount, at: shard.clock.now)
    }

    /// Until when it is kept while nobody uses it.
    var idleLimit: NIODeadline {
        life.idleLimit(since: lastActivity, patience: min(shard.idleTimeout, serverPatience ?? shard.idleTimeout))
    }

    /// The dial has succeeded; returns false where the connection was lost meanwhile.
    func establish() -> Bool {
        guard state.establish() else { return false }
        shard.counts.open += 1
        return true
    }

    /// The channel is gone: gives the permit back, once.
    func channelIsGone() {
        if state.end() { shard.closed(self) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        tlsContext = nil
        // A channel that is closed while it becomes active never says that it is inactive.
        channelIsGone()
    }

    // MARK: Starting

    /// Sends an exchange's request.
    func start(_ exchange: Exchange) {
        guard let context, !isClosing else {
            // It was closed while the request was on its way: none of the request's attempts.
            return shard.putBack(exchange)
        }
        if exchange.isWarmUp { return warmedUp(exchange) }
        take(exchange)
        guard exchange.deadline > lastActivity else {
            exchange.phase = .queued
            return fail(exchange.timeoutError(.init(at: exchange.deadline, kind: .total)))
        }
        if exchangeCount > 1 { shard.counts.reuses += 1 }
        let request = exchange.request
        parser.begin(isHeadRequest: request.method == .head)
        if exchange.recorder != nil { noteStart(exchange) }

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
        // A write may fail, and the exchange be given to another connection, before it returns.
        guard let body = request.body, framing != .length(0) else {
            exchange.phase = .waiting
            if request.body != nil { report(TransferProgress(completed: 0, total: 0)) }
            context.writeAndFlush(wrapOutboundOut(output), promise: nil)
            if exchange.recorder != nil { noteSent() }
            return
        }
        isChunked = framing == .chunked
        let writer = BodyWriter(body, carrier: self)
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

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let previousActivity = lastActivity
        lastActivity = shard.clock.now
        guard exchange != nil || pipe != nil else {
            // Bytes that answer nothing: whatever comes next on this connection could not be trusted.
            close()
            return
        }
        let bytes = unwrapInboundIn(data)
        throughput.received += bytes.readableBytes
        parser.append(bytes)
        if exchange?.recorder != nil, marks.firstByte == nil { marks.firstByte = lastActivity }
        if let exchange, exchange.phase != .reading { headBegins(exchange, waitingSince: previousActivity) }
        shard.executor.wakingAfter { parse() }
    }

    // The head has its time from the end of the request on, or from its own first byte where that comes before.
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
                case .head(let head): received(head)
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
            fail(SternaError(error.kind, phase: .read, error.detail))
        }
    }

    private func received(_ head: ResponseHead) {
        if held != nil, head.status == 417, let exchange, exchange.isPending, !exchange.isCancelled {
            exchange.omitsExpect = true
            if exchange.recorder != nil { noteHead(head.status, head.version) }
            detach()
            abort()
            shard.resubmit(exchange, because: .expectationRefused)
            return
        }
        self.head = head
        if let patience = head.patience { serverPatience = patience }
        if exchange?.recorder != nil { noteHead(head.status, head.version) }
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
        if head != nil, pipe == nil, exchange?.request.delivery == .head { stream() }
    }

    /// Gives the caller the head now, and the body through a pipe.
    private func stream() {
        guard let exchange, let head, pipe == nil else { return }
        let loop = shard.loop
        let number = exchangeCount
        let pipe = BodyPipe(
            resume: { [weak self] in loop.execute { [weak self] in self?.resumeReading() } },
            abandon: { [weak self] in loop.execute { [weak self] in self?.abandonBody(ofExchange: number) } })
        self.pipe = pipe
        if let collected {
            pipe.push(collected)
            self.collected = nil
        }
        if !readsAreLarge, parser.bodyLength.map({ $0 > Int64(Self.collectedBytes) }) ?? true { useLargeReads(true) }
        let body = ResponseBody(StreamedBody(pipe, length: parser.bodyLength))
        exchange.succeed(head.response(from: exchange.request.url, body: body))
    }

    func read(context: ChannelHandlerContext) {
        if let pipe, pipe.pauseIfFull() {
            readIsHeld = true
        } else {
            if readIsHeld { readGoesOn() }
            context.read()
        }
    }

    func resumeReading() {
        guard readIsHeld else { return }
        readGoesOn()
        context?.read()
    }

    // From here on the server is the one to be waited for again.
    private func readGoesOn() {
        readIsHeld = false
        lastActivity = shard.clock.now
        measureAnew()
        if let exchange { shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.betweenBytes) }
    }

    // By the time this runs, the connection may be carrying another exchange.
    private func abandonBody(ofExchange number: Int) {
        guard pipe != nil, number == exchangeCount else { return }
        if canDrain { beginDrain() } else { fail(.cancelled(phase: .read)) }
    }

    // A large body is read in large pieces: a third of the cost of the usual ones.
    func useLargeReads(_ large: Bool) {
        readsAreLarge = large
        context?.channel.setReadSize(large ? tlsContext == nil ? .large : .largeSealed : .usual)
    }
}
