import NIOCore

/// One side of a relay, which reads only while the other side accepts bytes.
protocol ProxyRelay: ChannelDuplexHandler {
    var context: ChannelHandlerContext? { get }

    /// The other side; nil while there is none.
    var peer: (any ProxyRelay)? { get }

    /// Whether reads wait for something other than the peer.
    var isBusy: Bool { get }

    /// Whether a read waits.
    var holdsRead: Bool { get set }
}

extension ProxyRelay {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func read(context: ChannelHandlerContext) {
        if !isBusy, peer?.isWritable ?? true {
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
        if context.channel.isWritable { peer?.resumeReading() }
        context.fireChannelWritabilityChanged()
    }
}
