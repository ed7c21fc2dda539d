import NIOCore
import NIOHPACK
import NIOHTTP2

/// A client's connection of HTTP/2 to a proxy: counts what comes on its streams, and ends it or them to order.
final class ProxyStreamsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let core: ProxyCore
    let number: Int
    private let anchor: ConnectionAnchor
    private let wire: HTTP2Wire
    private var context: ChannelHandlerContext?
    private var streams: [UInt32: ProxyStreamHandler] = [:]
    private var messages = 0
    private var lastStream: UInt32 = 0
    private var isGoingAway = false

    init(core: ProxyCore, number: Int, anchor: ConnectionAnchor, wire: HTTP2Wire) {
        self.core = core
        self.number = number
        self.anchor = anchor
        self.wire = wire
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard let window = core.options.window, window > 65_535 else { return }
        let more = HTTP2Frame.FramePayload.windowUpdate(windowSizeIncrement: min(window, 0x7FFF_FFFF) - 65_535)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: more)), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// An error of a single stream has been answered on it, one of the connection by a `GOAWAY`.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is any NIOHTTP2Error else { return context.close(promise: nil) }
        guard wire.hasSentError else { return }
        core.note(number) { $0.violation = $0.violation ?? "\(error)" }
        context.close(promise: nil)
    }

    // MARK: Streams

    /// Notes a request, and does what a fault has in the place of its answer; whether it is to be answered.
    func takes(_ request: TestProxy.Request, on stream: UInt32, _ handler: ProxyStreamHandler) -> Bool {
        streams[stream] = handler
        messages += 1
        core.note(number, isMessage: true) { connection in
            connection.requests.append(request)
            connection.tunnels.append(
                TestProxy.Tunnel(connection: connection.number, stream: stream, target: request.target))
        }
        guard !isGoingAway else { return false }
        switch core.fault(of: number) {
        case .goesAway(let count) where messages > count:
            goAway()
            return false
        case .closes(let count) where messages > count: anchor.closeNow()
        case .resets(let code, let count) where messages > count: handler.reset(code)
        case .sends(let bytes, let count) where messages > count: sendPast(bytes)
        case .stalls(let count) where messages > count: break
        default:
            lastStream = max(lastStream, stream)
            return true
        }
        lastStream = max(lastStream, stream)
        return false
    }

    func ended(_ stream: UInt32) {
        streams[stream] = nil
        note(stream) { $0.isOpen = false }
    }

    func note(_ stream: UInt32, _ change: (inout TestProxy.Tunnel) -> Void) {
        core.note(number) { connection in
            guard let index = connection.tunnels.lastIndex(where: { $0.stream == stream }) else { return }
            change(&connection.tunnels[index])
        }
    }

    /// Notes bytes that a client sent through a tunnel.
    func note(_ bytes: ByteBufferView, of stream: UInt32) {
        core.note(number) { connection in
            let room = TestProxy.Connection.tunnelLimit - connection.tunnelled.count
            connection.tunnelled += bytes.prefix(room)
        }
        note(stream) { tunnel in
            tunnel.bytesFromClient += bytes.count
            tunnel.tunnelled += bytes.prefix(TestProxy.Connection.tunnelLimit - tunnel.tunnelled.count)
        }
    }

    /// Sends bytes that are no frames, behind which nothing else leaves.
    private func sendPast(_ bytes: [UInt8]) {
        guard let loop = context?.eventLoop else { return }
        wire.takeOver()
        let handle = HTTP2Wire.Handle(wire: NIOLoopBound(wire, eventLoop: loop), eventLoop: loop, stream: 0)
        Task { try? await handle.write(ByteBuffer(bytes: bytes)) }
    }

    // MARK: To order

    /// Takes no more streams; those that were taken go on.
    func goAway() {
        guard !isGoingAway, let context else { return }
        isGoingAway = true
        // NIO ends those that are not taken, as if the client had reset them.
        for (stream, handler) in streams where stream > lastStream { handler.forget() }
        let payload = HTTP2Frame.FramePayload.goAway(
            lastStreamID: HTTP2StreamID(Int(lastStream)), errorCode: .noError, opaqueData: nil)
        context.writeAndFlush(Self.wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }

    func resetTunnels(_ code: UInt32) {
        for handler in Array(streams.values) { handler.reset(code) }
    }

    func endTunnels() {
        for handler in Array(streams.values) { handler.end() }
    }
}
