import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import SternaTesting
import Synchronization

/// A client that speaks HTTP/2 by prior knowledge, or over TLS with whatever it offers there, and shows what came back
/// frame by frame.
final class HTTP2Client: Sendable {
    struct Response: Sendable {
        var status = 0
        var headers = ServerHeaders()
        var body: [UInt8] = []
        var trailers = ServerHeaders()
        /// The code of the `RST_STREAM` that ended it.
        var reset: UInt32?

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    typealias Stream = NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>

    /// What came on the connection as a whole.
    final class Root: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTP2Frame

        let frames = Mutex<[HTTP2Frame.FramePayload]>([])

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let payload = Self.unwrapInboundIn(data).payload
            frames.withLock { $0.append(payload) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // An error of one stream is seen on it; with one of the connection NIO says goodbye and waits for a close.
            guard error is NIOHTTP2Errors.StreamError || error is NIOHTTP2Errors.StreamClosed else {
                return context.close(promise: nil)
            }
        }
    }

    let channel: any Channel
    let root: Root
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer

    private init(channel: any Channel, root: Root, multiplexer: NIOHTTP2Handler.StreamMultiplexer) {
        self.channel = channel
        self.root = root
        self.multiplexer = multiplexer
    }

    static func with<R: Sendable>(
        port: Int, roots: [String] = [], _ body: @Sendable (HTTP2Client) async throws -> R
    ) async throws -> R {
        var context: NIOSSLContext?
        if !roots.isEmpty {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(
                try roots.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) })
            configuration.applicationProtocols = ["h2"]
            context = try NIOSSLContext(configuration: configuration)
        }
        let root = Root()
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { [context] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    }
                    let handler = NIOHTTP2Handler(mode: .client, eventLoop: channel.eventLoop) { channel in
                        channel.close()
                    }
                    try pipeline.addHandler(handler)
                    try pipeline.addHandler(root)
                    return HTTP2Client(
                        channel: channel, root: root, multiplexer: try handler.syncMultiplexer())
                }
            }
        let result: Result<R, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        try? await client.channel.close().get()
        return try result.get()
    }

    /// The frames of the connection as a whole that came until now.
    var rootFrames: [HTTP2Frame.FramePayload] { root.frames.withLock { $0 } }

    func waitForClose() async throws {
        try await channel.closeFuture.get()
    }

    /// The last stream and the code of the first `GOAWAY`.
    var goAway: (last: Int, code: Int)? {
        for frame in rootFrames {
            if case .goAway(let last, let code, _) = frame { return (Int(last), code.networkCode) }
        }
        return nil
    }

    /// What the server has announced.
    func setting(_ parameter: HTTP2SettingsParameter) -> Int? {
        for frame in rootFrames {
            if case .settings(.settings(let settings)) = frame {
                return settings.last { $0.parameter == parameter }?.value
            }
        }
        return nil
    }

    static func head(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], authority: String = "example.test"
    ) -> HPACKHeaders {
        HPACKHeaders(
            [(":method", method), (":scheme", "http"), (":path", target), (":authority", authority)] + fields)
    }

    /// Opens a stream, sends the head on it, and closes the stream at the closure's end.
    func withStream<R: Sendable>(
        _ head: HPACKHeaders, hasBody: Bool = false,
        _ body: (Stream, inout NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator)
            async throws -> R
    ) async throws -> R {
        let promise = channel.eventLoop.makePromise(of: Stream.self)
        let loop = channel.eventLoop
        loop.execute { [channel, multiplexer] in
            // On a connection that has closed, a new stream would wait for ever.
            guard channel.isActive else { return promise.fail(ChannelError.ioOnClosedChannel) }
            multiplexer.createStreamChannel(promise: nil) { channel in
                let stream = Result { try Stream(wrappingChannelSynchronously: channel) }
                promise.completeWith(stream)
                return loop.makeCompletedFuture(stream.map { _ in })
            }
        }
        return try await promise.futureResult.get().executeThenClose { inbound, outbound in
            try await outbound.write(.headers(.init(headers: head, endStream: !hasBody)))
            // The body goes past the asynchronous writer, which buffers.
            let stream = try await promise.futureResult.get()
            var iterator = inbound.makeAsyncIterator()
            return try await body(stream, &iterator)
        }
    }

    static func read(
        _ inbound: inout NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator
    ) async throws -> Response {
        var response = Response()
        do {
            while let payload = try await inbound.next() {
                switch payload {
                case .headers(let head):
                    let fields = ServerHeaders(head.headers.map { .init(name: $0.name, value: $0.value) })
                    if response.status < 200 {
                        response.status = fields[":status"].flatMap { Int($0) } ?? 0
                        response.headers = fields
                    } else {
                        response.trailers = fields
                    }
                case .data(let data):
                    if case .byteBuffer(let buffer) = data.data { response.body += buffer.readableBytesView }
                default:
                    break
                }
            }
        } catch let error as NIOHTTP2Errors.StreamClosed {
            response.reset = UInt32(error.errorCode.networkCode)
        }
        return response
    }

    /// One whole exchange.
    func request(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String? = nil
    ) async throws -> Response {
        try await withStream(Self.head(method, target, fields), hasBody: body != nil) { stream, inbound in
            if let body { try await stream.send(Array(body.utf8), endStream: true) }
            return try await Self.read(&inbound)
        }
    }
}

extension HTTP2Client.Stream {
    func send(_ bytes: [UInt8], endStream: Bool = false) async throws {
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: endStream)
        try await channel.writeAndFlush(HTTP2Frame.FramePayload.data(data)).get()
    }

    func reset(_ code: HTTP2ErrorCode) async throws {
        try await channel.writeAndFlush(HTTP2Frame.FramePayload.rstStream(code)).get()
    }
}

extension TestServer {
    /// One HTTP/2 request on a connection of its own.
    func ask2(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String? = nil
    ) async throws -> HTTP2Client.Response {
        try await HTTP2Client.with(port: port) { try await $0.request(method, target, fields, body: body) }
    }
}
