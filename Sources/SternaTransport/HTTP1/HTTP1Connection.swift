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
final class HTTP1Connection: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias OutboundIn = Never
    typealias OutboundOut = Bytes

    /// A response of this size or less is collected before the caller is woken.
    static let collectedBytes = 256 << 10

    /// How long a body waits for a server that does not answer Expect; curl's second.
    static let continueWait = TimeAmount.seconds(1)

    let endpoint: Endpoint
    let shard: Shard
    private(set) var context: ChannelHandlerContext?

    /// The TLS handler's place in the pipeline where there is one; a close from there passes it over.
    var tlsContext: ChannelHandlerContext?

    /// What the policy's rotating identity was when the handshake began.
    var rotation: ClientIdentity?

    /// When bytes last moved in either direction, or the exchange last changed its phase.
    var lastActivity: NIODeadline

    private var parser: ResponseParser
    private var output = Bytes()
    var writer: BodyWriter?
    /// A body that waits for the server to ask for it.
    var held: BodyWriter?
    var continueTimer: Scheduled<Void>?
    var meter = ProgressMeter()
    var exchange: Exchange?
    var head: ResponseHead?
    private var collected: Bytes?
    private var pipe: BodyPipe?
    var isClosing = false
    private(set) var hasClosed = false

    /// Whether the dial that made it has succeeded: from then on it holds the permit it was opened with.
    private var isEstablished = false
    private var readIsHeld = false
    private var readsAreLarge = false
    private(set) var exchangeCount = 0
    var lastBuffered = 0

    init(endpoint: Endpoint, shard: Shard, limits: Limits) {
        self.endpoint = endpoint
        self.shard = shard
        parser = ResponseParser(limits: limits)
        lastActivity = shard.loop.now
    }

    /// Whether it can take an exchange.
    var isUsable: Bool { context != nil && !isClosing && exchange == nil && pipe == nil && showsCurrentIdentity }

    // One that has been replaced is not shown for new requests.
    private var showsCurrentIdentity: Bool {
        guard let rotating = endpoint.rotatingIdentity else { return true }
        return rotating.current == rotation
    }

    /// Whether it waits for this side, the reader or the source of a body or the moment to send one, and not for the peer.
    var isPaused: Bool { readIsHeld || writer?.isWaitingForSource == true || held != nil && head == nil }

    /// The dial has succeeded; returns false where the connection was lost meanwhile.
    func establish() -> Bool {
        isEstablished = !hasClosed
        return isEstablished
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        tlsContext = nil
    }

    // MARK: Starting

    /// Sends an exchange's request.
    func start(_ exchange: Exchange) {
        guard let context else {
            shard.remove(exchange)
            exchange.fail(LostConnection.error(nil, hasHead: false, hasReceived: false, isWriting: false))
            return
        }
        exchange.connection = self
        exchange.phase = .writing
        exchangeCount += 1
        self.exchange = exchange
        lastActivity = shard.loop.now
        let request = exchange.request
        let amounts = request.timeouts.amounts
        shard.tickNoLater(than: min(exchange.deadline, lastActivity + min(amounts.firstByte, amounts.betweenBytes)))
        parser.begin(isHeadRequest: request.method == .head)

        let framing = RequestEncoder.framing(of: request)
        output.clear()
        do throws(SternaError) {
            try RequestEncoder.write(
                request, framing: framing, expectsContinue: framing != .length(0) && exchange.expectsContinue,
                into: &output)
        } catch {
            fail(error)
            return
        }
        exchange.requestSent = true
        // A write may fail, and the exchange be given to another connection, before it returns.
        guard let body = request.body, framing != .length(0) else {
            exchange.phase = .waiting
            if request.body != nil { request.uploadProgress?(TransferProgress(completed: 0, total: 0)) }
            context.writeAndFlush(wrapOutboundOut(output), promise: nil)
            return
        }
        let writer = BodyWriter(body, framing: framing, connection: self, usesFileRegions: !endpoint.isTLS)
        meter = ProgressMeter(total: body.length)
        if exchange.expectsContinue {
            held = writer
            continueTimer = shard.loop.assumeIsolated().scheduleTask(in: Self.continueWait) { self.sendHeld() }
            exchange.phase = .waiting
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
        if writer.isSmall {
            exchange.phase = .waiting
            writer.writeWhole(behind: output, to: context)
            return
        }
        self.writer = writer
        context.write(wrapOutboundOut(output), promise: nil)
        writer.advance()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastActivity = shard.loop.now
        guard exchange != nil || pipe != nil else {
            // Bytes that answer nothing: whatever comes next on this connection could not be trusted.
            close()
            return
        }
        parser.append(unwrapInboundIn(data))
        if let exchange, exchange.phase == .waiting {
            exchange.phase = .reading
            shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.betweenBytes)
        }
        parse()
    }

    private func parse() {
        do throws(ParseFailure) {
            while let event = try parser.next() {
                switch event {
                case .informational(let head): if head.status == 100 { sendHeld() }
                case .head(let head): received(head)
                case .body(let bytes): received(bytes)
                case .end(let trailers):
                    finish(trailers)
                    return
                }
                if isClosing { return }
            }
        } catch {
            fail(SternaError(error.kind, phase: .read, error.detail))
        }
    }

    private func received(_ head: ResponseHead) {
        if held != nil, head.status == 417, let exchange, exchange.isPending, !exchange.isCancelled {
            exchange.omitsExpect = true
            detach()
            abort()
            shard.resubmit(exchange)
            return
        }
        self.head = head
        continueTimer?.cancel()
        exchange?.phase = .reading
        if let length = parser.bodyLength, length > Int64(Self.collectedBytes) { stream() }
    }

    private func received(_ bytes: Bytes) {
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
        exchange.succeed(head.response(to: exchange.request, body: body))
    }

    func read(context: ChannelHandlerContext) {
        if let pipe, pipe.pauseIfFull() {
            readIsHeld = true
        } else {
            context.read()
        }
    }

    private func resumeReading() {
        guard readIsHeld else { return }
        readIsHeld = false
        lastActivity = shard.loop.now
        if let exchange { shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.betweenBytes) }
        context?.read()
    }

    // By the time this runs, the connection may be carrying another exchange.
    private func abandonBody(ofExchange number: Int) {
        guard pipe != nil, number == exchangeCount else { return }
        fail(.cancelled(phase: .read))
    }

    // A large body is read in large pieces: a third of the cost of the usual ones.
    private func useLargeReads(_ large: Bool) {
        readsAreLarge = large
        context?.channel.setReadSize(large ? (endpoint.isTLS ? 32 << 10 : 256 << 10) : nil)
    }

    // MARK: Ending

    private func finish(_ trailers: HTTPFields?) {
        guard let exchange, let head else { return }
        let hasSentAll = held == nil && writer?.hasHandedAll != false && isDrained(exchange.request)
        let isReusable = parser.isPersistent && !parser.hasLeftover && !isClosing && hasSentAll
        let body = collected
        let pipe = pipe
        detach()
        // The connection goes back before the caller wakes, so that its next request finds it.
        if isReusable {
            if readsAreLarge { useLargeReads(false) }
            shard.release(self)
        } else if hasSentAll {
            close()
        } else {
            abort()
        }
        if let pipe {
            pipe.end(.success(trailers))
        } else {
            let body = ResponseBody(body ?? Bytes(), trailers: trailers)
            exchange.succeed(head.response(to: exchange.request, body: body))
        }
    }

    // An answer may come before the last of the body has left; the next request would wait behind it.
    private func isDrained(_ request: Request) -> Bool {
        request.body == nil || context?.channel.unwrittenBytes ?? 0 == 0
    }

    private func detach() {
        if let exchange {
            shard.remove(exchange)
            exchange.connection = nil
        }
        exchange = nil
        head = nil
        collected = nil
        pipe = nil
        writer?.stop()
        writer = nil
        held = nil
        continueTimer?.cancel()
        continueTimer = nil
        if readIsHeld {
            readIsHeld = false
            context?.read()
        }
    }

    /// Ends the exchange with an error and closes the connection.
    func fail(_ error: SternaError) {
        let exchange = exchange
        let pipe = pipe
        let head = head
        detach()
        abort()
        guard let exchange else { return }
        var error = exchange.complete(error)
        error.response = head?.response(to: exchange.request, body: ResponseBody())
        if let pipe { pipe.end(.failure(error)) } else { exchange.fail(error) }
    }

    /// Closes the connection; it is used no more.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        context?.close(promise: nil)
    }

    // TLS closed in order would first write what is left and then take for seconds whatever the peer still sends.
    private func abort() {
        guard !isClosing else { return }
        isClosing = true
        (tlsContext ?? context)?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !lost(because: error) { close() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let event = parser.finish(), case .end(let trailers) = event, exchange != nil {
            isClosing = true
            finish(trailers)
        } else {
            _ = lost(because: nil)
        }
        isClosing = true
        hasClosed = true
        if isEstablished { shard.closed(self) }
        context.fireChannelInactive()
    }

    /// The connection broke under an exchange: it is sent again where that is safe, else it fails.
    private func lost(because cause: (any Error)?) -> Bool {
        guard let exchange, !isClosing else { return false }
        if !parser.hasReceived, exchangeCount > 1, exchange.mayRetryOnFreshConnection {
            detach()
            close()
            shard.resubmit(exchange)
            return true
        }
        fail(
            TLSFault.late(parser.hasReceived ? nil : cause, host: endpoint.host)
                ?? LostConnection.error(
                    cause, hasHead: head != nil, hasReceived: parser.hasReceived, isWriting: writer != nil)
        )
        return true
    }
}
