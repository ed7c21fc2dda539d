import NIOCore
import NIOHPACK
import NIOHTTP2

/// An HTTP/2 stream to a proxy: accepts a CONNECT, connects to its destination, and relays at the pace of both sides.
final class ProxyStreamHandler: ProxyClient {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private static let connectError: UInt32 = 0xA

    private let connection: ProxyStreamsHandler
    private(set) var context: ChannelHandlerContext?
    private var stream: UInt32 = 0
    private var upstream: ProxyUpstream?
    private var hasBegun = false
    private(set) var isBusy = false
    private var clientHasEnded = false
    private var hasAnswered = false
    private var hasEnded = false
    private var isReset = false
    var holdsRead = false

    init(_ connection: ProxyStreamsHandler) { self.connection = connection }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let stream = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        if let stream { self.stream = UInt32(Int(stream)) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        upstream?.close()
        upstream = nil
        if hasBegun { connection.ended(stream) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isReset, let error = error as? NIOHTTP2Errors.StreamClosed else { return }
        isReset = true
        let code = UInt32(clamping: error.errorCode.networkCode)
        if hasBegun { connection.note(stream) { $0.reset = code } }
    }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let head):
            if !hasBegun { begin(head.headers) }
            if head.endStream { clientEnded() }
        case .data(let data):
            if case .byteBuffer(let buffer) = data.data, buffer.readableBytes > 0 {
                connection.note(buffer.readableBytesView, of: stream)
                upstream?.send(buffer)
            }
            if data.endStream { clientEnded() }
        default: break
        }
    }

    private func begin(_ block: HPACKHeaders) {
        hasBegun = true
        let request = ProxyText.request(block, connection: connection.number)
        guard connection.takes(request, on: stream, self) else { return }
        let core = connection.core
        if case .refuses(let status, let body) = core.fault(of: connection.number) { return refuse(status, body) }
        if let challenges = core.challenges(to: request) {
            return refuse(407, "proxy authentication required", challenges)
        }
        guard request.method == "CONNECT", let (host, port) = ProxyText.authority(request.target) else {
            return refuse(400, "CONNECT to host:port is needed")
        }
        connect(host: host, port: port, for: request)
    }

    private func connect(host: String, port: Int, for request: TestProxy.Request) {
        guard let context else { return }
        isBusy = true
        ProxyUpstream.open(host: host, port: port, core: connection.core, on: context.eventLoop) { [self] result in
            isBusy = false
            defer { resumeReading() }
            switch result {
            case .failure(let error): refuse(502, "\(request.target): \(error)")
            case .success(let opened):
                guard self.context != nil, !isReset else { return opened.close() }
                opened.client = self
                upstream = opened
                if case .answersConnect(let text) = connection.core.fault(of: connection.number) {
                    for head in ProxyText.heads(text) { answer(head.status, head.fields) }
                } else {
                    answer(200)
                }
                if clientHasEnded { opened.closeOutput() }
            }
        }
    }

    private func clientEnded() {
        guard !clientHasEnded else { return }
        clientHasEnded = true
        connection.note(stream) { $0.isEnded = true }
        upstream?.closeOutput()
    }

    // MARK: To the client

    private func answer(_ status: Int, _ fields: ServerHeaders = [:], length: Int? = nil) {
        hasAnswered = true
        connection.note(stream) { $0.status = status }
        send(.headers(.init(headers: HPACKHeaders(status: status, fields: fields, length: length))))
    }

    private func refuse(
        _ status: Int, _ body: String, _ challenges: [String] = [TestProxy.Digest.basicChallenge]
    ) {
        var fields: ServerHeaders = ["Content-Type": "text/plain", "X-Proxy": "TestProxy"]
        if status == 407 { for value in challenges { fields.add("Proxy-Authenticate", value) } }
        answer(status, fields, length: body.utf8.count)
        hasEnded = true
        send(.data(.init(data: .byteBuffer(ByteBuffer(string: body)), endStream: true)))
    }

    func relay(_ bytes: ByteBuffer) {
        guard !hasEnded, let sent = send(.data(.init(data: .byteBuffer(bytes)))) else { return }
        let count = bytes.readableBytes
        sent.assumeIsolated().whenSuccess { [self] in connection.note(stream) { $0.bytesToClient += count } }
    }

    func upstreamClosed(hasFailed: Bool) {
        upstream = nil
        if hasFailed { reset(Self.connectError) } else { end() }
        resumeReading()
    }

    /// Ends the proxy's half; further bytes of the client are dropped.
    func end() {
        guard hasAnswered, !hasEnded, !isReset else { return }
        hasEnded = true
        send(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
        upstream?.close()
        upstream = nil
        resumeReading()
    }

    /// Ends the stream at once in both directions.
    func reset(_ code: UInt32) {
        guard !isReset else { return }
        isReset = true
        send(.rstStream(HTTP2ErrorCode(networkCode: Int(code))))
    }

    /// Marks the stream as ended by its connection.
    func forget() { isReset = true }

    @discardableResult
    private func send(_ payload: HTTP2Frame.FramePayload) -> EventLoopFuture<Void>? {
        context?.writeAndFlush(Self.wrapOutboundOut(payload))
    }

    var peer: (any ProxyRelay)? { upstream }
}

extension ProxyText {
    /// Returns a request's head, read from its field block.
    static func request(_ block: HPACKHeaders, connection: Int) -> TestProxy.Request {
        var headers = ServerHeaders()
        for (name, value, _) in block where !name.hasPrefix(":") { headers.add(name, value) }
        return TestProxy.Request(
            method: block.first(name: ":method") ?? "",
            target: block.first(name: ":authority") ?? block.first(name: ":path") ?? "", version: "HTTP/2",
            headers: headers, connection: connection)
    }

    /// Returns the heads of the responses in an HTTP/1.1 text.
    static func heads(_ text: String) -> [(status: Int, fields: ServerHeaders)] {
        var heads: [(Int, ServerHeaders)] = []
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst() {
            let words = line.split(separator: " ")
            guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else { continue }
            var fields = ServerHeaders()
            while let line = lines.popFirst(), !line.isEmpty {
                guard let colon = line.firstIndex(of: ":") else { continue }
                fields.add(String(line[..<colon]), ASCIIText.trimmed(line[line.index(after: colon)...]))
            }
            heads.append((status, fields))
        }
        return heads
    }
}
