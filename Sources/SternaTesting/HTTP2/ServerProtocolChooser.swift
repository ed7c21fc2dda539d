import NIOCore
import NIOTLS

/// Waits at the end of a new connection's pipeline until the client's version of HTTP is known, then is replaced by that
/// version's handlers.
final class ServerProtocolChooser: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    enum Sign {
        /// The protocol that the TLS handshake negotiated.
        case alpn
        /// The connection's first bytes.
        case preface
    }

    /// The client's connection preface (RFC 9113 §3.4).
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let sign: Sign
    private let idleTimeout: Duration?
    private let install: (_ isHTTP2: Bool) throws -> Void
    private var seen = ByteBuffer()
    private var isChosen = false
    private var idleTimer: Scheduled<Void>?

    init(sign: Sign, idleTimeout: Duration?, install: @escaping (_ isHTTP2: Bool) throws -> Void) {
        self.sign = sign
        self.idleTimeout = idleTimeout
        self.install = install
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard let idleTimeout else { return }
        let channel = context.channel
        idleTimer = context.eventLoop.scheduleTask(in: min(TimeAmount(idleTimeout), .hours(8760))) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        idleTimer?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        idleTimer?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if sign == .alpn, case .handshakeCompleted(let negotiated) = event as? TLSUserEvent {
            choose(isHTTP2: negotiated == "h2", context: context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = Self.unwrapInboundIn(data)
        guard !isChosen else { return context.fireChannelRead(Self.wrapInboundOut(buffer)) }
        seen.writeBuffer(&buffer)
        guard sign == .preface else { return }
        let count = min(seen.readableBytes, Self.preface.count)
        guard seen.readableBytesView.prefix(count).elementsEqual(Self.preface.prefix(count)) else {
            return choose(isHTTP2: false, context: context)
        }
        if count == Self.preface.count { choose(isHTTP2: true, context: context) }
    }

    private func choose(isHTTP2: Bool, context: ChannelHandlerContext) {
        guard !isChosen else { return }
        isChosen = true
        idleTimer?.cancel()
        do { try install(isHTTP2) } catch { return context.close(promise: nil) }
        if seen.readableBytes > 0 {
            context.fireChannelRead(Self.wrapInboundOut(seen))
            context.fireChannelReadComplete()
            seen.clear()
        }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
