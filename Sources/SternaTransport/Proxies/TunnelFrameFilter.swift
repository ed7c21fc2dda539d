import NIOCore
import NIOHTTP2

/// Drops frames that streams' channels do not use: the channels store frames for as long as their readers take nothing, and
/// windows count only content.
final class TunnelFrameFilter: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.streamID != .rootStream else { return context.fireChannelRead(data) }
        switch frame.payload {
        // Window updates arrive as events.
        case .windowUpdate, .priority, .pushPromise: return
        case .data(let piece) where piece.data.readableBytes == 0 && !piece.endStream: return
        default: context.fireChannelRead(data)
        }
    }
}
