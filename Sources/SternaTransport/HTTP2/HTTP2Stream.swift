import DequeModule
import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2
import SternaCore

/// One exchange on an HTTP/2 connection: a request and its response (RFC 9113, 8.1).
// Invariant: everything is touched on the connection's event loop only.
final class HTTP2Stream: ExchangeCodec, @unchecked Sendable {
    /// The bytes of a body that are taken from its writer ahead of the windows.
    private static let pendingBytes = 256 << 10

    let connection: HTTP2Connection
    let id: HTTP2StreamID

    /// The send window in bytes; below zero if the peer has reduced its initial window.
    var sendWindow: Int
    var receiveWindow = ReceiveWindow()

    /// Pieces of the body that the windows have not let through yet.
    var pending: Deque<(bytes: Bytes, promise: EventLoopPromise<Void>?)> = []
    private(set) var pendingCount = 0

    /// The trailers to send after the pending pieces.
    private(set) var trailers: HPACKHeaders?
    var requestHalf = RequestHalf.open
    var responseHalf = ResponseHalf.open
    private(set) var head: HTTP2ResponseFields?
    private var interimCount: InterimCount?
    private(set) var contentCount: Int64 = 0
    private var readIsHeld = false
    private var lastCredit: NIODeadline?

    /// Whether what arrives goes to the handler of a `DuplexPipe`.
    private var isHandled = false

    init(_ connection: HTTP2Connection, id: HTTP2StreamID, for endpoint: Endpoint) {
        self.connection = connection
        self.id = id
        sendWindow = connection.peer.initialWindow
        super.init(endpoint: endpoint, shard: connection.shard)
    }

    override var channel: (any Channel)? { connection.context?.channel }

    override var facts: ConnectionFacts? {
        get { connection.facts }
        set { connection.facts = newValue }
    }
    override var streamNumber: Int? { Int(id) }
    override var tlsVersion: String? { connection.tlsVersion }
    override var hasHead: Bool { head != nil }
    override var isReadHeld: Bool { readIsHeld }
    override var unwrittenBytes: Int { pendingCount }
    override var isOpen: Bool { isListed && !hasSentEnd }

    /// Whether END_STREAM was sent.
    var hasSentEnd: Bool { requestHalf == .ended }

    /// Whether the stream is in the connection's table.
    var isListed: Bool { responseHalf != .removed }
    override var hasRoom: Bool { pendingCount < Self.pendingBytes }

    // MARK: Sending

    override func write(_ piece: BodyPiece, _ promise: EventLoopPromise<Void>) {
        guard case .bytes(let bytes) = piece, isOpen else { return promise.fail(ChannelError.ioOnClosedChannel) }
        pending.append((bytes, promise))
        pendingCount += bytes.readableBytes
        connection.wantsToSend(self)
    }

    override func writeDirectly(_ bytes: Bytes) {
        guard isOpen else { return }
        throughput.sent += bytes.readableBytes
        pending.append((bytes, nil))
        pendingCount += bytes.readableBytes
        connection.wantsToSend(self)
    }

    override func finishOutput() {
        guard isOpen else { return }
        requestHalf.beginEnding()
        connection.wantsToSend(self)
    }

    override func resumeInput() { resumeReading() }

    override func hasHandler() {
        pipe = nil
        isHandled = true
    }

    override func timeStandsStill() { connection.boundPausedBytes() }

    override func flush() { connection.pumpLater() }

    override func endBody(_ trailers: HTTPFields?) throws(SternaError) -> Bool {
        guard isOpen else { return false }
        if let trailers, !trailers.isEmpty {
            self.trailers = try HTTP2TrailerFields.headers(trailers, maximum: connection.peer.maximumFrame)
        }
        requestHalf.beginEnding()
        connection.wantsToSend(self)
        return false
    }

    /// Sends the request of its exchange.
    func send(over context: ChannelHandlerContext) throws(SternaError) {
        guard let exchange else { return }
        guard exchange.deadline > lastActivity else {
            exchange.phase = .queued
            throw exchange.timeoutError(.init(at: exchange.deadline, kind: .total))
        }
        let request = exchange.request
        if exchange.recorder != nil { noteStart(exchange) }
        let framing = RequestEncoder.framing(of: request)
        let hasContent = request.body != nil && framing != .length(0)
        var length: Int64?
        if case .length(let known) = framing { length = known }
        guard length != .max else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The body is longer than Content-Length can express; nothing was sent.")
        }
        let waits = hasContent && exchange.expectsContinue
        let fields = try HTTP2RequestFields(
            request, length: length, expectsContinue: waits, secretNames: &connection.secretNames)
        try fields.checkSize(connection.peer.maximumFrame)
        var writer: BodyWriter?
        if hasContent, let body = request.body {
            writer = BodyWriter(body, codec: self)
            meter = ProgressMeter(total: body.length)
            if !waits { try writer?.prepare() }
        }
        connection.streams[id] = self
        let isDuplex = request.delivery == .duplex
        let section = HTTP2Frame.FramePayload.Headers(headers: fields.headers, endStream: !hasContent && !isDuplex)
        exchange.requestSent = true
        let before = connection.gatherer.total
        connection.sending = self
        context.write(NIOAny(HTTP2Frame(streamID: id, payload: .headers(section))), promise: nil)
        connection.sending = nil
        throughput.sent += connection.gatherer.total - before
        guard isListed else { return }
        connection.flushSoon()
        guard let writer else {
            if !isDuplex { requestHalf = .ended }
            exchange.phase = .waiting
            if request.body != nil { report(TransferProgress(completed: 0, total: 0)) }
            if exchange.recorder != nil { noteSent() }
            return
        }
        if waits { return hold(writer) }
        self.writer = writer
        watchWriting(exchange)
        writer.advance()
    }

    /// Whether the stream has something to send that its own window lets through.
    var canSend: Bool {
        guard isOpen else { return false }
        if pending.isEmpty { return requestHalf == .ending && (trailers != nil || sendWindow >= 0) }
        return sendWindow > 0
    }

    /// Returns the next piece of the body, of at most that many bytes.
    func nextPiece(upTo limit: Int) -> (bytes: Bytes, promise: EventLoopPromise<Void>?, isLast: Bool)? {
        guard var (bytes, promise) = pending.popFirst() else { return nil }
        if bytes.readableBytes > limit, let piece = bytes.readSlice(length: limit) {
            pending.prepend((bytes, promise))
            bytes = piece
            promise = nil
        }
        pendingCount -= bytes.readableBytes
        // The writer may have handed over everything before it says so; knowing that saves an empty frame.
        let isComplete = requestHalf == .ending || writer?.hasHandedAll == true
        return (bytes, promise, pending.isEmpty && isComplete && trailers == nil)
    }

    // MARK: Receiving

    /// Takes a section of fields: an interim response, the head, or the trailers.
    func received(_ headers: HPACKHeaders, isEnd: Bool) {
        began()
        // The library does not report the compressed size of the fields.
        throughput.received += HTTP2Connection.frameHeadBytes
        if exchange?.recorder != nil {
            throughput.received += headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        }
        let limits = shard.options.limits
        do throws(ParseFailure) {
            guard head == nil else {
                guard isEnd else { throw .malformed("its trailers do not end the stream.") }
                return try end(try HTTP2ResponseFields.trailers(headers, limits: limits))
            }
            let head = try HTTP2ResponseFields(headers, limits: limits)
            if head.isInformational { return try received(informational: head, isEnd: isEnd) }
            try received(head, isEnd: isEnd)
        } catch {
            fail(SternaError(error.kind, phase: .read, error.detail), isEnd && hasSentEnd ? nil : .protocolError)
        }
    }

    private func began() {
        lastActivity = connection.lastRead
        if marks.firstByte == nil, exchange?.recorder != nil { marks.firstByte = lastActivity }
        guard let exchange, exchange.phase == .waiting else { return }
        exchange.phase = .reading
        measureAnew()
        shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.betweenBytes)
    }

    private func received(informational head: HTTP2ResponseFields, isEnd: Bool) throws(ParseFailure) {
        guard !isEnd else { throw .malformed("it ends with an interim response.") }
        let followsProgress = exchange?.request.options[ConfirmedProgressKey.self] ?? false
        var count = interimCount ?? InterimCount(followsProgress: followsProgress)
        let isWithinLimit = count.admits(head.status, head.section, limit: shard.options.limits.informationalCount)
        interimCount = count
        guard isWithinLimit else {
            throw .limit("The server sent more than \(shard.options.limits.informationalCount) interim responses.")
        }
        if head.status == 100 { sendHeld() }
        if let exchange { noteInformational(head.status, head.section, exchange) }
        answerIsWaitedForAnew()
    }

    private func received(_ head: HTTP2ResponseFields, isEnd: Bool) throws(ParseFailure) {
        if held != nil, head.status == 417, let exchange, exchange.isPending, !exchange.isCancelled {
            exchange.omitsExpect = true
            if exchange.recorder != nil { noteHead(head.status, .http2, head.section, exchange) }
            return connection.giveBack(self, because: .expectationRefused, reset: .cancel)
        }
        if head.status == 421, connection.misdirected(self, head, isEnd: isEnd) { return }
        self.head = head
        if let exchange, exchange.recorder != nil { noteHead(head.status, .http2, head.section, exchange) }
        continueTimer?.cancel()
        exchange?.phase = .reading
        if exchange?.request.delivery == .duplex, (200...299).contains(head.status) {
            return switchProtocols(isEnd: isEnd)
        }
        if isEnd { return try end(nil) }
        if let length = head.contentLength, length > Int64(Self.collectedBytes) { return stream() }
        if exchange?.request.delivery.isStreamed == true { connection.deliverLater(self) }
    }

    // The server takes the extended CONNECT: what follows on the stream is the other protocol's (RFC 8441, 5).
    private func switchProtocols(isEnd: Bool) {
        guard let exchange, let head else { return }
        let loop = shard.loop
        let pipe = BodyPipe(
            resume: { [weak self] in loop.execute { [weak self] in self?.resumeReading() } }, abandon: {})
        self.pipe = pipe
        var response = head.response(from: exchange.request.url, body: ResponseBody())
        response.duplex = DuplexHandle(switchProtocols(over: pipe))
        exchange.succeed(response)
        if isEnd { inputEnded() }
    }

    // Notes the end of the peer's direction after a switch of protocols.
    private func inputEnded() {
        responseHalf.end()
        if requestHalf == .ended { return switchedEnds() }
        duplex?.inputEnded()
    }

    /// Ends an exchange that has switched protocols, after both ends of the stream.
    func switchedEnds() {
        guard let exchange, let duplex else { return }
        if exchange.recorder != nil { noteEnd(exchange) }
        detach()
        connection.ended(self, reset: nil)
        duplex.ended(nil)
    }

    // Ends the response. The length of the content must match the announced one, if any.
    private func end(_ trailers: HTTPFields?) throws(ParseFailure) {
        if duplex != nil { return inputEnded() }
        if let length = contentLength, contentCount != length {
            throw .malformed("its content has \(contentCount) bytes, but its Content-Length is \(length).")
        }
        finish(trailers)
    }

    // In a response to HEAD, and with 304, the field describes another response's content (RFC 9110, 8.6).
    private var contentLength: Int64? { hasNoContent ? 0 : head?.contentLength }

    private var hasNoContent: Bool {
        exchange?.request.method == .head || head?.status == 304 || head?.status == 204
    }

    /// Takes content.
    func received(_ bytes: Bytes, isEnd: Bool) {
        do throws(ParseFailure) {
            guard head != nil else { throw .malformed("its content comes before its head.") }
            if bytes.readableBytes > 0, hasNoContent { return try receivedForbiddenContent(isEnd: isEnd) }
            try take(bytes)
            if isEnd { try end(nil) }
        } catch {
            fail(SternaError(error.kind, phase: .read, error.detail), isEnd && hasSentEnd ? nil : .protocolError)
        }
    }

    // Some servers send content with a response to HEAD, which is complete without it: that ends the stream only.
    @inline(never)
    private func receivedForbiddenContent(isEnd: Bool) throws(ParseFailure) {
        guard exchange?.request.method == .head else {
            throw .malformed("it has content, which its status \(head?.status ?? 0) forbids.")
        }
        finish(nil, reset: isEnd ? nil : .protocolError)
    }

    private func take(_ bytes: Bytes) throws(ParseFailure) {
        lastActivity = connection.lastRead
        throughput.received += bytes.readableBytes + HTTP2Connection.frameHeadBytes
        contentCount += Int64(bytes.readableBytes)
        if duplex == nil, let length = head?.contentLength, contentCount > length {
            throw .malformed("its content is longer than its Content-Length.")
        }
        if bytes.readableBytes > 0 {
            // A copy: the bytes are a part of the decoder's buffer, which holds its largest read so far and would be kept with them.
            if isHandled {
                duplex?.received(bytes)
            } else if let pipe {
                pipe.push(Bytes(buffer: bytes))
                connection.deliverLater(self)
            } else {
                collect(bytes)
            }
        }
    }

    private func collect(_ bytes: Bytes) {
        if collected == nil {
            collected = Bytes(buffer: bytes)
        } else {
            collected?.writeImmutableBuffer(bytes)
        }
        if let collected, collected.readableBytes > Self.collectedBytes { stream() }
    }

    /// Delivers content once the present read has been processed.
    func deliver() {
        if pipe != nil {
            deliverBody(at: connection.lastRead)
        } else if head != nil, duplex == nil, exchange?.request.delivery.isStreamed == true {
            stream()
        }
        credit()
    }

    private func stream() {
        guard let exchange, let head, pipe == nil else { return }
        let loop = shard.loop
        let pipe = BodyPipe(
            resume: { [weak self] in loop.execute { [weak self] in self?.resumeReading() } },
            abandon: { [weak self] in
                loop.execute { [weak self] in self?.fail(.cancelled(phase: .read), .cancel) }
            })
        self.pipe = pipe
        if let collected {
            pipe.push(collected)
            self.collected = nil
        }
        let body = ResponseBody(StreamedBody(pipe, length: contentLength))
        exchange.succeed(head.response(from: exchange.request.url, body: body))
    }

    // MARK: Ending

    // - Parameter code: the code of a reset, if the peer has not ended the stream.
    private func finish(_ trailers: HTTPFields?, reset code: HTTP2Code? = nil) {
        responseHalf.end()
        guard let exchange, let head else {
            return fail(
                SternaError(.malformedResponse, phase: .read, "The server ended the stream without a response."))
        }
        let (body, pipe) = (collected, pipe)
        if exchange.recorder != nil { noteEnd(exchange) }
        detach()
        // The stream goes back before the caller wakes, so that its next request finds room.
        connection.ended(self, reset: code ?? (hasSentEnd ? nil : .cancel))
        if let pipe {
            exchange.end(pipe, .success(trailers))
        } else {
            let body = ResponseBody(body ?? Bytes(), trailers: trailers)
            shard.reply(to: exchange, head.response(from: exchange.request.url, body: body))
        }
    }

    override func fail(_ error: SternaError) { fail(error, .cancel) }

    /// Ends the exchange with an error. Resets the stream unless the peer knows of its end.
    func fail(_ error: SternaError, _ code: HTTP2Code?) {
        // A caller that wants the head as soon as it arrives gets it, and the content so far, before the error.
        if head != nil, duplex == nil, exchange?.request.delivery.isStreamed == true { stream() }
        let (exchange, pipe, head, duplex) = (exchange, pipe, head, duplex)
        if exchange?.recorder != nil { noteFailure() }
        detach()
        connection.ended(self, reset: code)
        guard let exchange else { return }
        var error = exchange.complete(error)
        error.response = head?.response(from: exchange.request.url, body: ResponseBody())
        if let duplex { return duplex.ended(error) }
        if let pipe { exchange.end(pipe, .failure(error)) } else { exchange.fail(error) }
    }

    /// Releases the exchange, and drops the pending pieces of its body.
    func detach() {
        shard.loop.assertInEventLoop()
        if let exchange {
            shard.remove(exchange)
            exchange.codec = nil
            if !exchange.isPending { exchange.call?.end(exchange) }
        }
        exchange = nil
        collected = nil
        pipe = nil
        duplex = nil
        writer?.stop()
        writer = nil
        held = nil
        continueTimer?.cancel()
        continueTimer = nil
        let promises = pending.compactMap(\.promise)
        pending = []
        pendingCount = 0
        for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
    }
}

/// The windows of a stream (RFC 9113, 5.2).
extension HTTP2Stream {
    /// Whether the body is known to be so large that its window matters.
    var hasLargeBody: Bool {
        let least = Int64(WindowTuner.probedBytes)
        return contentCount >= least || head?.contentLength ?? 0 >= least
    }

    /// Checks a WINDOW_UPDATE for a stream that this side has ended (RFC 9113, 6.9 and 6.9.1).
    func windowOpened(by increment: Int) {
        guard increment > 0 else { return fail(Self.noIncrement, .protocolError) }
        guard increment <= Int(Int32.max) - sendWindow else { return fail(Self.windowTooLarge, .flowControlError) }
        sendWindow += increment
    }

    private static let noIncrement = SternaError(
        .malformedResponse, phase: .read, "The server broke HTTP/2: it sent a WINDOW_UPDATE of 0 bytes on a stream.")

    private static let windowTooLarge = SternaError(
        .malformedResponse, phase: .read,
        "The server broke HTTP/2: it raised a stream's window above 2,147,483,647 bytes.")

    /// Notes how much the peer may still send; allows more unless the reader lags behind.
    func windowIsLeft(_ size: Int) {
        receiveWindow.isLeft(size)
        // After the reader has taken the present bytes: only then is it known whether it keeps up.
        connection.deliverLater(self)
    }

    func credit() {
        guard responseHalf == .open, connection.canCredit else { return }
        if pipe?.pauseIfFull() ?? duplex?.isPaused ?? false {
            readIsHeld = true
            if exchange?.call?.isPaused == true { connection.boundPausedBytes() }
            return
        }
        if readIsHeld { readGoesOn() }
        let keepsUp = pipe?.isKeptUpWith ?? isHandled
        let target = keepsUp ? connection.streamTarget : ReceiveWindow.initial
        let expected = head?.contentLength.map { max(0, $0 - contentCount) }
        guard let more = receiveWindow.credit(upTo: target, expected: expected) else { return }
        connection.allow(more, on: id)
        let now = shard.clock.now
        if keepsUp, let lastCredit, now - lastCredit < WindowTuner.leastCreditInterval {
            connection.tuner.isAskedOften()
        }
        lastCredit = now
    }

    func resumeReading() {
        shard.loop.assertInEventLoop()
        guard readIsHeld else { return }
        readGoesOn()
        credit()
        connection.flushSoon()
    }

    // Resumes reading: from now on the exchange waits for the server again.
    private func readGoesOn() {
        readIsHeld = false
        lastActivity = shard.clock.now
        measureAnew()
        if let exchange { shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.betweenBytes) }
    }
}
