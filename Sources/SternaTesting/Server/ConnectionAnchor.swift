import NIOCore
import SternaPlatform

/// The handler next to the socket: closing here bypasses TLS, without `close_notify` and without waiting for the peer's.
final class ConnectionAnchor: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    struct Handle: Sendable {
        let anchor: NIOLoopBound<ConnectionAnchor>
        let channel: any Channel

        /// Closes at once by FIN or RST, as the socket's linger option requires.
        func abort() async {
            let anchor = self.anchor
            channel.eventLoop.execute { anchor.value.closeNow() }
            try? await channel.closeFuture.get()
        }

        func reset() async {
            if let socket = channel as? any SocketOptionProvider {
                try? await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            await abort()
        }
    }

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func closeNow() {
        context?.close(promise: nil)
    }
}
