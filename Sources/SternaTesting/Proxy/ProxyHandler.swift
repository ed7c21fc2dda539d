import NIOCore

/// A client's connection to a proxy: reads the client's request, connects to the destination, and relays.
final class ProxyHandler: ProxyClient {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Stage {
        case socksGreeting, socksCredentials, socksRequest
        case head
        case body(ProxyFraming)
        /// Connecting, or sending a response.
        case busy
        case tunnel
        /// Reads all input and ignores it.
        case deaf
    }

    static let messageLimit = 1 << 20

    let core: ProxyCore
    let number: Int
    var stage: Stage
    var buffer = ByteBuffer()
    var upstream: ProxyUpstream?
    /// The destination of the upstream connection.
    var authority = ""
    private let anchor: ConnectionAnchor
    private(set) var context: ChannelHandlerContext?
    private var messages = 0
    var holdsRead = false
    private var isProcessing = false
    private var mayGoOn = false

    init(core: ProxyCore, number: Int, anchor: ConnectionAnchor) {
        self.core = core
        self.number = number
        self.anchor = anchor
        if case .socks5 = core.options.kind { stage = .socksGreeting } else { stage = .head }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        begin()
        context.fireChannelActive()
    }

    private func begin() {
        if fault == .closesAtOnce { anchor.closeNow() }
    }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch stage {
        case .deaf: break
        case .tunnel: tunnel(bytes)
        default:
            buffer.writeBuffer(&bytes)
            process()
        }
    }

    /// Processes the received bytes as far as possible.
    func process() {
        // A response that is sent immediately calls this again.
        mayGoOn = true
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while mayGoOn {
            mayGoOn = false
            while step() {}
        }
        buffer.discardReadBytes()
        if buffer.readableBytes > Self.messageLimit { anchor.closeNow() }
    }

    /// Performs one step; returns whether there may be more.
    private func step() -> Bool {
        switch stage {
        case .socksGreeting: return takeGreeting()
        case .socksCredentials: return takeCredentials()
        case .socksRequest: return takeSOCKSRequest()
        case .head: return takeHead()
        case .body(var framing):
            let part = framing.take(from: &buffer)
            upstream?.send(part)
            if framing.isMalformed { anchor.closeNow() }
            stage = framing.isDone ? .head : .body(framing)
            return framing.isDone
        case .tunnel:
            if buffer.readableBytes > 0 { tunnel(buffer.readSlice(length: buffer.readableBytes) ?? ByteBuffer()) }
            return false
        case .busy, .deaf: return false
        }
    }

    private func tunnel(_ bytes: ByteBuffer) {
        core.note(number) { connection in
            let room = TestProxy.Connection.tunnelLimit - connection.tunnelled.count
            connection.tunnelled += bytes.readableBytesView.prefix(room)
        }
        upstream?.send(bytes)
    }

    var fault: TestProxy.Fault? { core.fault(of: number) }

    /// Counts and records a message; returns whether a fault takes the place of the response.
    func isSpoilt(_ change: (inout TestProxy.Connection) -> Void) -> Bool {
        messages += 1
        core.note(number, isMessage: true, change)
        switch fault {
        case .closes(let count) where messages > count: anchor.closeNow()
        case .stalls(let count) where messages > count: break
        case .sends(let bytes, let count) where messages > count: answer(bytes)
        default: return false
        }
        stage = .deaf
        return true
    }

    // MARK: To the client

    /// Sends a response, byte by byte if the proxy drips, and continues when it is sent.
    func answer(_ bytes: some Collection<UInt8>, then next: @escaping () -> Void = {}) {
        guard let context else { return }
        guard core.options.drips, let first = bytes.first else {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            return next()
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [first])), promise: nil)
        let rest = Array(bytes.dropFirst())
        _ = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) {
            if rest.isEmpty { next() } else { self.answer(rest, then: next) }
        }
    }

    func relay(_ bytes: ByteBuffer) { context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }

    func upstreamClosed(hasFailed: Bool) {
        upstream = nil
        close()
    }

    /// Closes after all output is sent.
    func close() {
        stage = .deaf
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    /// Opens the tunnel after a response.
    func openTunnel(_ text: some Collection<UInt8>) {
        stage = .busy
        answer(text) { [self] in
            let early = buffer.readableBytes
            core.note(number) { $0.bytesBeforeAnswer = early }
            if case .busy = stage { stage = .tunnel }
            process()
            resumeReading()
        }
    }

    // MARK: Destinations

    /// Connects to a destination and calls `next` with the result.
    func connect(host: String, port: Int, then next: @escaping (Result<Void, ProxyDialError>) -> Void) {
        stage = .busy
        upstream?.close()
        upstream = nil
        guard let context else { return }
        ProxyUpstream.open(host: host, port: port, core: core, on: context.eventLoop) { [self] result in
            switch result {
            case .failure(let error): next(.failure(error))
            case .success(let opened):
                guard context.channel.isActive else { return opened.close() }
                opened.client = self
                upstream = opened
                next(.success(()))
            }
        }
    }

    // MARK: Pace

    var peer: (any ProxyRelay)? { upstream }

    var isBusy: Bool { if case .busy = stage { true } else { false } }

    func channelInactive(context: ChannelHandlerContext) {
        stage = .deaf
        upstream?.close()
        upstream = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
