import NIOCore
import NIOHPACK
import NIOHTTP2

/// A client's HTTP/2 connection to a proxy: counts the input of its streams, and ends the connection or its streams on request.
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

    /// NIO has answered an error of a single stream on that stream, and a connection error by a `GOAWAY`.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is any NIOHTTP2Error else { return context.close(promise: nil) }
        guard wire.hasSentError else { return }
        core.note(number) { $0.violation = $0.violation ?? "\(error)" }
        context.close(promise: nil)
    }

    // MARK: Streams

    /// Records a request, and performs a fault in place of its response; returns whether the caller responds to it.
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

    /// Records bytes that a client sent through a tunnel.
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

    /// Sends bytes that are not frames, and drops all further output.
    private func sendPast(_ bytes: [UInt8]) {
        guard let loop = context?.eventLoop else { return }
        wire.takeOver()
        let handle = HTTP2Wire.Handle(wire: NIOLoopBound(wire, eventLoop: loop), eventLoop: loop, stream: 0)
        Task { try? await handle.write(ByteBuffer(bytes: bytes)) }
    }

    // MARK: Commands

    /// Accepts no more streams; accepted ones continue.
    func goAway() {
        guard !isGoingAway, let context else { return }
        isGoingAway = true
        // NIO ends the rejected streams as if the client had reset them.
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
