import NIOCore
import NIOHTTP2

/// Keeps frames that nobody looks at from streams' channels, which store what comes for as long as their readers take nothing:
/// windows count only what is content.
final class TunnelSieve: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.streamID != .rootStream else { return context.fireChannelRead(data) }
        switch frame.payload {
        // What a window has become comes as an event.
        case .windowUpdate, .priority, .pushPromise: return
        case .data(let piece) where piece.data.readableBytes == 0 && !piece.endStream: return
        default: context.fireChannelRead(data)
        }
    }
}
