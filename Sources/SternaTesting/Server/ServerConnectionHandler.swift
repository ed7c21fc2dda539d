import NIOCore
import NIOHTTP1

/// Handles one connection's requests one after the other: reads only as fast as the current handler, and leaves a pipelined
/// request waiting until the response before it is written.
final class ServerConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum length of an unread request body that is read and dropped to keep the connection.
    static let discardLimit = 32 << 20
    /// How long a connection that closes before the request's end continues to read, so that a reset does not lose the response.
    static let lingerTime = TimeAmount.seconds(2)

    let core: ServerCore
    let number: Int
    let anchor: ConnectionAnchor.Handle
    var context: ChannelHandlerContext?
    var exchange: ServerExchange?
    var waiting = CircularBuffer<HTTPServerRequestPart>()
    var lingering = false
    private var heldRead = false
    private var draining = false
    private var nextIdentifier = 0
    private var idleSince = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?
    private var remoteAddress = ""
    private var localAuthority = ""

    init(core: ServerCore, number: Int, anchor: ConnectionAnchor.Handle) {
        self.core = core
        self.number = number
        self.anchor = anchor
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
        waiting.removeAll()
        endExchange()
        context.fireChannelInactive()
    }

    private func endExchange() {
        exchange?.pipe?.fail()
        exchange?.task?.cancel()
        exchange = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, exchange == nil, !lingering else {
            endExchange()
            context.close(promise: nil)
            return
        }
        let text = EchoJSON.object([("message", .string("request is not HTTP/1.1: \(error)"))]).text()
        var buffer = context.channel.allocator.buffer(capacity: 256)
        ResponseHead(
            status: 400, reason: nil, headers: ["Content-Type": "application/json"],
            framing: .length(text.utf8.count), keepAlive: false, isHTTP10: false
        ).write(to: &buffer)
        buffer.writeString(text)
        context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: nil)
        linger()
    }

    private func scheduleIdleCheck(context: ChannelHandlerContext) {
        guard let limit = core.idleTimeout.map({ min(TimeAmount($0), .hours(8760)) }) else { return }
        let now = NIODeadline.now()
        let due = exchange == nil ? idleSince + limit : now + limit
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        idleTimer = context.eventLoop.scheduleTask(deadline: due) {
            let handler = bound.value
            guard let context = handler.context else { return }
            if handler.exchange == nil && NIODeadline.now() >= handler.idleSince + limit {
                context.close(promise: nil)
            } else {
                handler.scheduleIdleCheck(context: context)
            }
        }
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if readsOn { context.read() } else { heldRead = true }
    }

    private var readsOn: Bool {
        guard let exchange, !lingering else { return true }
        return exchange.discarding || (!exchange.requestEnded && exchange.wantsBody)
    }

    func resumeReading() {
        guard heldRead, readsOn, let context else { return }
        heldRead = false
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !lingering else { return }
        waiting.append(Self.unwrapInboundIn(data))
        drain(context: context)
    }

    /// Processes the waiting parts as far as the current exchange allows.
    func drain(context: ChannelHandlerContext) {
        guard !draining else { return }
        draining = true
        defer { draining = false }
        while let part = waiting.first {
            if let exchange, exchange.requestEnded { return }
            waiting.removeFirst()
            switch part {
            case .head(let head): begin(head, context: context)
            case .body(let buffer): take(buffer)
            case .end(let trailers): requestEnded(trailers, context: context)
            }
        }
    }

    private func begin(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let headers = ServerHeaders(head.headers)
        let length = headers["Content-Length"]
        let declared = length.map { Int($0) ?? Int.max }
        let hasBody = headers.contains("Transfer-Encoding") || (declared ?? 0) > 0
        nextIdentifier += 1
        let identifier = nextIdentifier
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let pipe =
            hasBody
            ? ServerBodyPipe(declaredLength: declared) {
                loop.execute { bound.value.bodyDemanded(identifier) }
            } : nil
        let method = head.method.rawValue
        let version = ServerHTTPVersion(head.version)
        let record = core.recorded(
            .init(
                method: method, target: head.uri, headers: headers, bodySize: 0, connection: number, version: version))
        let target = RequestTarget(head.uri)
        let request = ServerRequest(
            method: method, target: head.uri, path: target.path, query: target.query, headers: headers,
            body: ServerRequestBody(pipe: pipe), remoteAddress: remoteAddress, connection: number,
            origin: target.origin ?? "\(core.scheme)://\(headers["Host"] ?? localAuthority)", version: version,
            interim: ServerInterim(loop) { bound.value.inform($0, $1, identifier, $2) })
        exchange = ServerExchange(
            identifier: identifier, head: head, request: request, record: record, pipe: pipe,
            declaredLength: declared)
        if hasBody { dispatch(request, identifier: identifier, context: context) }
    }

    private func take(_ buffer: ByteBuffer) {
        guard let exchange else { return }
        exchange.received += buffer.readableBytes
        core.record(buffer, in: &exchange.recorded)
        if exchange.discarding {
            exchange.discarded += buffer.readableBytes
            if exchange.discarded > Self.discardLimit && exchange.responseEnded { linger() }
        } else if let pipe = exchange.pipe {
            exchange.wantsBody = pipe.offer(buffer)
        }
    }

    private func requestEnded(_ trailers: HTTPHeaders?, context: ChannelHandlerContext) {
        guard let exchange else { return }
        exchange.requestEnded = true
        exchange.pipe?.finish(trailers.map { ServerHeaders($0) } ?? ServerHeaders())
        if exchange.received > 0 {
            core.bodyEnded(request: exchange.record, exchange.recorded, size: exchange.received)
        }
        if exchange.responseEnded {
            nextRequest()
        } else if exchange.pipe == nil {
            dispatch(exchange.request, identifier: exchange.identifier, context: context)
        }
    }

    private func bodyDemanded(_ identifier: Int) {
        guard let exchange, exchange.identifier == identifier, let context else { return }
        if exchange.expectsContinue && !exchange.responseStarted {
            exchange.expectsContinue = false
            context.writeAndFlush(
                Self.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
        exchange.wantsBody = true
        resumeReading()
    }

    /// Continues with the next request, once the response is written and the request read.
    func nextRequest() {
        exchange = nil
        idleSince = .now()
        guard let context else { return }
        drain(context: context)
        resumeReading()
    }

    /// Stops sending, continues to read for a while, then closes.
    func linger() {
        guard !lingering, let context else { return }
        lingering = true
        waiting.removeAll()
        exchange?.pipe?.fail()
        exchange = nil
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.lingerTime) { channel.close(promise: nil) }
        resumeReading()
    }
}
