import NIOCore

/// A client's connection to a proxy: reads the client's request, connects to the destination, and relays.
final class ProxyHandler: ProxyClient {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage {
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
    private var stage: Stage
    var buffer = ByteBuffer()
    private var upstream: ProxyUpstream?
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
    private func isSpoilt(_ change: (inout TestProxy.Connection) -> Void) -> Bool {
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
    private func openTunnel(_ text: some Collection<UInt8>) {
        stage = .busy
        answer(text) { [self] in
            let early = buffer.readableBytes
            core.note(number) { $0.bytesBeforeResponse = early }
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

/// HTTP: forwarding and CONNECT.
extension ProxyHandler {
    private func takeHead() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard let end = ScriptedConnection.endOfHead(in: bytes, from: 0) else { return false }
        buffer.moveReaderIndex(forwardBy: end)
        guard let request = ProxyText.request(bytes[..<end], connection: number) else {
            return refuse(400, "malformed request", behind: nil)
        }
        if isSpoilt({ $0.requests.append(request) }) { return false }
        if case .refuses(let status, let body) = fault { return refuse(status, body, behind: request) }
        if let challenges = core.challenges(to: request) {
            return refuse(407, "proxy authentication required", behind: request, challenges)
        }
        if request.method == "CONNECT" {
            openTunnel(for: request)
        } else {
            forward(request)
        }
        return false
    }

    /// Responds as the proxy itself; always returns false, since the end of the response continues the connection.
    ///
    /// After a request with a body the connection cannot continue, since the body may or may not follow.
    private func refuse(
        _ status: Int, _ body: String, behind request: TestProxy.Request?,
        _ challenges: [String] = [TestProxy.Digest.basicChallenge]
    ) -> Bool {
        let hasNoBody = request.map { ProxyFraming($0.headers).isDone } ?? false
        stage = hasNoBody ? .busy : .deaf
        var text = "HTTP/1.1 \(status) \(TestProxyReason.phrase(status))\r\nContent-Type: text/plain\r\n"
        text += "Content-Length: \(body.utf8.count)\r\nX-Proxy: TestProxy\r\n"
        if status == 407 { for value in challenges { text += "Proxy-Authenticate: \(value)\r\n" } }
        if !hasNoBody { text += "Connection: close\r\n" }
        answer((text + "\r\n" + (request?.method == "HEAD" ? "" : body)).utf8) { [self] in
            if case .busy = stage { stage = .head }
            process()
            resumeReading()
        }
        return false
    }

    private func openTunnel(for request: TestProxy.Request) {
        guard let (host, port) = ProxyText.authority(request.target) else {
            return _ = refuse(400, "CONNECT takes host:port", behind: request)
        }
        connect(host: host, port: port) { [self] result in
            if case .failure(let error) = result {
                return _ = refuse(502, "\(request.target): \(error)", behind: request)
            }
            if case .answersConnect(let text) = fault {
                openTunnel(text.utf8)
            } else {
                openTunnel("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
            }
        }
    }

    private func forward(_ request: TestProxy.Request) {
        guard let (authority, target) = ProxyText.absolute(request.target),
            let (host, port) = ProxyText.authority(authority, defaultPort: 80)
        else { return _ = refuse(400, "a target in absolute form is needed", behind: request) }
        if let upstream, upstream.isActive, self.authority == authority {
            return send(request, target, to: upstream)
        }
        connect(host: host, port: port) { [self] result in
            guard case .success = result, let upstream else {
                return _ = refuse(502, "\(authority) cannot be reached", behind: request)
            }
            self.authority = authority
            send(request, target, to: upstream)
            process()
            resumeReading()
        }
    }

    private func send(_ request: TestProxy.Request, _ target: String, to upstream: ProxyUpstream) {
        var text = "\(request.method) \(target) \(request.version)\r\n"
        // Fields for the proxy are not forwarded.
        for field in request.headers where !field.name.lowercased().hasPrefix("proxy-") {
            text += "\(field.name): \(field.value)\r\n"
        }
        upstream.send(ByteBuffer(string: text + "\r\n"))
        let framing = ProxyFraming(request.headers)
        stage = framing.isDone ? .head : .body(framing)
    }
}

/// Reason phrases of the statuses that proxies use for refusals.
enum TestProxyReason {
    static func phrase(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 407: "Proxy Authentication Required"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Refused"
        }
    }
}

/// SOCKS 5: RFC 1928, and RFC 1929 for user names and passwords.
extension ProxyHandler {
    private func takeGreeting() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return false }
        let methods = Array(bytes[2..<2 + Int(bytes[1])])
        buffer.moveReaderIndex(forwardBy: 2 + methods.count)
        if isSpoilt({ $0.socksMethods = methods }) { return false }
        guard bytes[0] == 5 else { return end() }
        var method: UInt8 = core.options.username == nil && methods.contains(0) ? 0 : 2
        if !methods.contains(method) || fault == .refusesMethods { method = 255 }
        return reply([5, method], next: method == 0 ? .socksRequest : method == 2 ? .socksCredentials : nil)
    }

    private func takeCredentials() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard bytes.count >= 2 else { return false }
        let passwordStart = 3 + Int(bytes[1])
        guard bytes.count >= passwordStart, bytes.count >= passwordStart + Int(bytes[passwordStart - 1]) else {
            return false
        }
        let end = passwordStart + Int(bytes[passwordStart - 1])
        let credentials = TestProxy.Credentials(
            String(decoding: bytes[2..<passwordStart - 1], as: UTF8.self),
            String(decoding: bytes[passwordStart..<end], as: UTF8.self))
        buffer.moveReaderIndex(forwardBy: end)
        if isSpoilt({ $0.socksCredentials = credentials }) { return false }
        guard bytes[0] == 1 else { return self.end() }
        let isAdmitted = core.admits(credentials)
        return reply([1, isAdmitted ? 0 : 1], next: isAdmitted ? .socksRequest : nil)
    }

    private func takeSOCKSRequest() -> Bool {
        let bytes = Array(buffer.readableBytesView)
        guard bytes.count >= 5 else { return false }
        guard bytes[0] == 5, let type = TestProxy.SOCKSRequest.AddressType(rawValue: bytes[3]) else { return end() }
        let (start, length) = type == .name ? (5, Int(bytes[4])) : (4, type == .ipv4 ? 4 : 16)
        let end = start + length
        guard bytes.count >= end + 2 else { return false }
        buffer.moveReaderIndex(forwardBy: end + 2)
        let request = TestProxy.SOCKSRequest(
            command: bytes[1], addressType: type, host: Self.host(bytes[start..<end], type),
            port: Int(bytes[end]) << 8 | Int(bytes[end + 1]))
        if isSpoilt({ $0.socksRequest = request }) { return false }
        if case .refusesAddress(let code) = fault { return refuseAddress(code) }
        guard request.command == 1 else { return refuseAddress(7) }
        connect(host: request.host, port: request.port) { [self] result in
            switch result {
            case .failure(.unknownHost): _ = refuseAddress(4)
            case .failure(.refused): _ = refuseAddress(5)
            case .success:
                var bound: [UInt8] = [1, 0, 0, 0, 0, 0, 0]
                if case .binds(let bytes) = fault { bound = bytes }
                openTunnel([5, 0, 0] + bound)
            }
        }
        return false
    }

    private static func host(_ bytes: ArraySlice<UInt8>, _ type: TestProxy.SOCKSRequest.AddressType) -> String {
        if type == .name { return String(decoding: bytes, as: UTF8.self) }
        let address = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0)
        return address?.ipAddress ?? ""
    }

    private func refuseAddress(_ code: UInt8) -> Bool { reply([5, code, 0, 1, 0, 0, 0, 0, 0, 0], next: nil) }

    /// Answers and continues with the next message, or closes if `next` is nil.
    private func reply(_ bytes: [UInt8], next: Stage?) -> Bool {
        stage = .busy
        answer(bytes) { [self] in
            guard let next else { return close() }
            if case .busy = stage { stage = next }
            process()
            resumeReading()
        }
        return false
    }

    private func end() -> Bool {
        close()
        return false
    }
}
