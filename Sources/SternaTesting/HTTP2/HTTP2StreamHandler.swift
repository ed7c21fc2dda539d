import NIOCore
import NIOHPACK
import NIOHTTP2

/// Handles the one request of an HTTP/2 stream: reads only as fast as the route, so that a slow route closes the stream's window
/// and no other.
final class HTTP2StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    let connection: HTTP2ConnectionHandler
    var context: ChannelHandlerContext?
    var task: Task<Void, Never>?
    var pipe: ServerBodyPipe?
    var method = ""
    var expectsContinue = false
    private var hasBegun = false
    var requestEnded = false
    private var responseStarted = false
    /// Whether the route is done with the body, so that the rest of it is dropped.
    private var discarding = false
    private(set) var stream = HTTP2StreamID.rootStream
    private var record = 0
    private var received = 0
    /// The bytes of a switched protocol before this side ended it, which do not count as discarded.
    private var receivedBefore = 0
    /// What is recorded of the body.
    private var recorded: [UInt8] = []
    /// The bytes read since the last window update.
    private var owed = 0
    private var givesWindow = true
    private var declaredLength: Int?
    private var wantsBody = true
    private var heldRead = false
    private var isReset = false
    /// The fields of an extended `CONNECT` (RFC 8441), which asks for a switch of protocols; nil for other requests.
    private var connectFields: ServerHeaders?
    /// Whether this side has ended its direction of a stream that was switched to another protocol.
    private var isFinished = false

    init(connection: HTTP2ConnectionHandler) {
        self.connection = connection
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let stream = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        if let stream { self.stream = stream }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        pipe = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        pipe?.fail()
        // The pipe references this handler.
        pipe = nil
        // A closure that has sent everything may still read what the client sent before its end.
        if !(isFinished && requestEnded) { task?.cancel() }
        task = nil
        self.context = nil
        if hasBegun { connection.streamEnded() }
        context.fireChannelInactive()
    }

    /// Needs no handling: a closed stream goes on to `channelInactive`, a failed response fails its last promise, and otherwise
    /// only window updates fail, for a client that has just sent its last bytes.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    /// Ends the stream at once in both directions, unless it has ended.
    func reset(_ reset: ServerStreamReset) {
        guard !isReset, let context else { return }
        isReset = true
        let payload = HTTP2Frame.FramePayload.rstStream(HTTP2ErrorCode(networkCode: Int(reset.code)))
        context.writeAndFlush(Self.wrapOutboundOut(payload), promise: nil)
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if readsOn { context.read() } else { heldRead = true }
    }

    private var readsOn: Bool { !hasBegun || requestEnded || discarding || wantsBody }

    func resumeReading() {
        guard heldRead, readsOn, let context else { return }
        heldRead = false
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let head):
            if !hasBegun {
                begin(head.headers, hasBody: !head.endStream, context: context)
            } else if head.endStream {
                endRequest(ServerHeaders(head.headers.map { .init(name: $0.name, value: $0.value) }))
            }
        case .data(let data):
            if case .byteBuffer(let buffer) = data.data, buffer.readableBytes > 0 { take(buffer) }
            if data.endStream { endRequest() } else { giveWindow() }
        default:
            break
        }
    }

    private func begin(_ block: HPACKHeaders, hasBody: Bool, context: ChannelHandlerContext) {
        hasBegun = true
        // For a stream older than a larger window, NIO manages the window itself.
        givesWindow = connection.hasAcknowledgedSettings || connection.streamWindow <= 65_535
        requestEnded = !hasBody
        let head = HTTP2RequestHead(block)
        // One route serves both versions of HTTP.
        method = head.protocolName == nil ? head.method : "GET"
        if head.protocolName != nil { connectFields = head.headers }
        declaredLength = head.headers["Content-Length"].map { Int($0) ?? Int.max }
        expectsContinue = hasBody && head.headers.hasToken("100-continue", in: "Expect")
        let core = connection.core
        connection.streamBegan(stream)
        record = core.recorded(
            .init(
                method: head.method, target: head.target, headers: head.headers, bodySize: 0,
                connection: connection.number, version: .http2))
        let loop = context.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        if hasBody {
            pipe = ServerBodyPipe(declaredLength: declaredLength) {
                loop.execute { bound.value.bodyDemanded() }
            }
        }
        let target = RequestTarget(head.target)
        let authority = head.headers["Host"] ?? connection.localAuthority
        answer(
            ServerRequest(
                method: method, target: head.target, path: target.path, query: target.query, headers: head.headers,
                body: ServerRequestBody(pipe: pipe), remoteAddress: connection.remoteAddress,
                connection: connection.number, origin: target.origin ?? "\(core.scheme)://\(authority)",
                version: .http2,
                interim: ServerInterim(loop) { status, headers, promise in bound.value.inform(status, headers, promise)
                }))
    }

    private func take(_ buffer: ByteBuffer) {
        received += buffer.readableBytes
        connection.core.record(buffer, in: &recorded)
        owed += buffer.readableBytes
        if !discarding {
            wantsBody = pipe?.offer(buffer) ?? true
        } else if received - receivedBefore > ServerConnectionHandler.discardLimit {
            reset(.noError)
        }
    }

    /// Sends a window update once half of the window is used, at the reader's pace since a slow reader stops reading.
    private func giveWindow() {
        guard givesWindow, !isReset, owed > 0, owed >= connection.streamWindow / 2, let context else { return }
        let payload = HTTP2Frame.FramePayload.windowUpdate(windowSizeIncrement: owed)
        owed = 0
        context.writeAndFlush(Self.wrapOutboundOut(payload), promise: nil)
    }

    private func endRequest(_ trailers: ServerHeaders = ServerHeaders()) {
        guard !requestEnded else { return }
        requestEnded = true
        pipe?.finish(trailers)
        if received > 0 { connection.core.bodyEnded(request: record, recorded, size: received) }
    }

    private func bodyDemanded() {
        if expectsContinue && !responseStarted {
            expectsContinue = false
            send(HPACKHeaders([(":status", "100")]), endStream: false)
        }
        wantsBody = true
        resumeReading()
    }

    /// Whether the rest of the request is short enough to be read and dropped.
    private var canDiscardRest: Bool {
        if requestEnded { return true }
        if expectsContinue { return false }
        guard let declaredLength else { return true }
        return declaredLength - received <= ServerConnectionHandler.discardLimit
    }

    // MARK: Writing

    /// Writes the bytes that a route's writer sends.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let payload = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(Self.unwrapOutboundIn(data))))
        context.write(Self.wrapOutboundOut(payload), promise: promise)
    }

    func send(_ block: HPACKHeaders, endStream: Bool, promise: EventLoopPromise<Void>? = nil) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let payload = HTTP2Frame.FramePayload.headers(.init(headers: block, endStream: endStream))
        context.writeAndFlush(Self.wrapOutboundOut(payload), promise: promise)
    }

    private func sendLast(_ buffer: ByteBuffer, promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        let payload = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(buffer), endStream: true))
        context.writeAndFlush(Self.wrapOutboundOut(payload), promise: promise)
    }
}

extension HTTP2StreamHandler {
    /// Passes the request to its route and writes the response.
    func answer(_ request: ServerRequest) {
        switch connection.core.respond(to: request) {
        case .ready(let response):
            respond(response)
        case .pending(let work):
            guard let loop = context?.eventLoop else { return }
            let bound = NIOLoopBound(self, eventLoop: loop)
            task = Task {
                let response = await work()
                loop.execute { bound.value.respond(response) }
            }
        }
    }

    /// Writes a response unless the stream has already ended.
    private func respond(_ routed: ServerResponse) {
        guard !responseStarted, context != nil else { return }
        responseStarted = true
        var response = routed
        if let upgrade = routed.upgrade {
            let offer = ServerUpgrade.Offer(
                method: method, headers: connectFields ?? [:], version: .http2, hasBody: false,
                isConnect: connectFields != nil)
            switch upgrade.answer(offer) {
            case .accepted(let headers, let run): return switchProtocol(headers, run)
            case .refused(let refusal): response = refusal
            }
        } else if connectFields != nil, routed.isSuccess {
            // A 2xx would tell the client that its protocol begins.
            response = .message("the route does not switch protocols", status: 501)
        }
        if let reset = response.reset { return self.reset(reset) }
        let status = (200...599).contains(response.status) ? response.status : 500
        let isBodyless = status == 204 || status == 304
        let sendsBody = !isBodyless && method != "HEAD"
        func head(_ length: Int?) -> HPACKHeaders {
            HPACKHeaders(status: status, fields: response.headers, length: isBodyless ? nil : length)
        }
        switch response.body.written {
        case .raw(let play):
            takeOver(play)
        case .empty, .content:
            finish(head(0), [])
        case .bytes(let bytes):
            finish(head(bytes.count), sendsBody ? bytes : [])
        case .stream(let length, let write):
            guard sendsBody else { return finish(head(length), []) }
            send(head(length), endStream: false)
            stream(write, length: length, trailers: response.trailers)
        }
    }

    /// Sends an interim response, unless the final one has begun.
    func inform(_ status: Int, _ headers: ServerHeaders, _ promise: EventLoopPromise<Void>) {
        guard !responseStarted, context != nil else { return promise.fail(ChannelError.ioOnClosedChannel) }
        send(HPACKHeaders(status: status, fields: headers, length: nil), endStream: false, promise: promise)
    }

    private func finish(_ head: HPACKHeaders, _ body: [UInt8]) {
        guard let promise = lastPromise() else { return }
        if body.isEmpty {
            send(head, endStream: true, promise: promise)
        } else {
            send(head, endStream: false)
            sendLast(ByteBuffer(bytes: body), promise: promise)
        }
    }

    private func stream(
        _ write: @escaping @Sendable (ServerBodyWriter) async throws -> Void, length: Int?, trailers: ServerHeaders
    ) {
        guard let context else { return }
        let writer = ServerBodyWriter(.channel(context.channel, connection.anchor, isChunked: false), length: length)
        let loop = context.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        task = Task {
            var fault: ServerStreamReset?
            do {
                try await write(writer)
                // A partial body must not look like a complete one.
                if !writer.isComplete { fault = .internalError }
            } catch {
                fault = error as? ServerStreamReset ?? .internalError
            }
            loop.execute { [fault] in
                let handler = bound.value
                if let fault { return handler.reset(fault) }
                guard let promise = handler.lastPromise() else { return }
                if length != nil || trailers.fields.isEmpty {
                    handler.sendLast(ByteBuffer(), promise: promise)
                } else {
                    handler.send(HPACKHeaders(trailers: trailers), endStream: true, promise: promise)
                }
            }
        }
    }

    /// Answers an extended `CONNECT`, and leaves the stream's DATA to a route's closure.
    private func switchProtocol(_ headers: ServerHeaders, _ run: @escaping ServerUpgrade.Run) {
        guard let context else { return }
        send(HPACKHeaders(status: 200, fields: headers, length: nil), endStream: false)
        let output = SwitchedOutput(
            handler: NIOLoopBound(self, eventLoop: context.eventLoop), channel: context.channel)
        let duplex = ServerDuplex(pipe: pipe, output: output)
        task = Task { await duplex.serve(run) }
    }

    fileprivate func finish(_ promise: EventLoopPromise<Void>) {
        isFinished = true
        sendLast(ByteBuffer(), promise: promise)
    }

    /// Drops what the client still sends, and resets the stream if the client does not end it soon.
    fileprivate func linger() {
        guard let context else { return }
        discarding = true
        receivedBefore = received
        pipe?.fail()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: ServerConnectionHandler.lingerTime) { bound.value.reset(.noError) }
        resumeReading()
    }

    /// Returns the promise of the response's last frame: the response ends once a slow client has accepted it.
    private func lastPromise() -> EventLoopPromise<Void>? {
        guard let loop = context?.eventLoop else { return nil }
        let promise = loop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop)
        promise.futureResult.whenComplete { result in
            switch result {
            case .success: bound.value.responseEnded()
            // The client has closed the stream; no response is needed.
            case .failure(is NIOHTTP2Errors.StreamClosed): break
            case .failure: bound.value.reset(.internalError)
            }
        }
        return promise
    }

    private func responseEnded() {
        guard !requestEnded else { return }
        if canDiscardRest {
            discarding = true
            pipe?.fail()
            resumeReading()
        } else {
            reset(.noError)
        }
    }

    private func takeOver(_ play: @escaping @Sendable (ServerRawConnection) async throws -> Void) {
        guard let channel = context?.channel.parent else { return }
        discarding = true
        resumeReading()
        connection.wire.takeOver()
        let wire = HTTP2Wire.Handle(
            wire: NIOLoopBound(connection.wire, eventLoop: channel.eventLoop), eventLoop: channel.eventLoop,
            stream: UInt32(Int(stream)))
        let raw = ServerRawConnection(channel: channel, anchor: connection.anchor, wire: wire)
        task = Task {
            try? await play(raw)
            await raw.close()
        }
    }
}

/// The sending side of a stream that was switched to another protocol. END_STREAM is its end (RFC 8441, 5).
private struct SwitchedOutput: ServerDuplexOutput {
    let handler: NIOLoopBound<HTTP2StreamHandler>
    let channel: any Channel

    var loop: any EventLoop { channel.eventLoop }

    func put(_ bytes: ByteBuffer) -> EventLoopFuture<Void> { channel.writeAndFlush(bytes) }

    func finish() -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        loop.execute { [handler] in handler.value.finish(promise) }
        return promise.futureResult
    }

    func close() async {
        loop.execute { [handler] in handler.value.linger() }
        try? await channel.closeFuture.get()
    }

    func reset(_ reset: ServerStreamReset) async {
        loop.execute { [handler] in handler.value.reset(reset) }
        try? await channel.closeFuture.get()
    }
}

extension ServerResponse {
    /// Whether it is written with a 2xx status.
    fileprivate var isSuccess: Bool {
        if case .raw = body { return false }
        return reset == nil && (200...299).contains(status)
    }
}
