import NIOCore

/// The proxy's connection to a destination: hands what comes to the client's, at the client's pace.
final class ProxyUpstream: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Nil when the connection to the client has another destination now, or none.
    var client: ProxyHandler?
    private var context: ChannelHandlerContext?
    private var holdsRead = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    var isWritable: Bool { context?.channel.isWritable ?? false }
    var isActive: Bool { context?.channel.isActive ?? false }

    func send(_ buffer: ByteBuffer) {
        guard let context, buffer.readableBytes > 0 else { return }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Closes when what was sent is out.
    func close() {
        client = nil
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { client?.relay(unwrapInboundIn(data)) }

    func read(context: ChannelHandlerContext) {
        if client?.isWritable ?? true {
            context.read()
        } else {
            holdsRead = true
        }
    }

    func resumeReading() {
        guard holdsRead else { return }
        holdsRead = false
        context?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { client?.resumeReading() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        client?.upstreamClosed()
        client = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
