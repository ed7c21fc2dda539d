import NIOCore
import NIOPosix
import SternaCore

/// The receiver of the bytes that a proxy reads from a destination.
protocol ProxyClient: ProxyRelay {
    func relay(_ bytes: ByteBuffer)
    /// The destination has closed, gracefully or not.
    func upstreamClosed(hasFailed: Bool)
}

/// The proxy's connection to a destination: passes its bytes to the client's connection, at the client's pace.
final class ProxyUpstream: ProxyRelay {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The client's connection; nil if that has another destination now, or none.
    var client: (any ProxyClient)?
    private(set) var context: ChannelHandlerContext?
    let isBusy = false
    var holdsRead = false
    private var hasFailed = false

    /// Connects to a destination and calls `next` with the result.
    static func open(
        host: String, port: Int, core: ProxyCore, on loop: any EventLoop,
        then next: @escaping (Result<ProxyUpstream, ProxyDialError>) -> Void
    ) {
        guard let address = core.address(host: host, port: port) else { return next(.failure(.unknownHost)) }
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    channel.setCloseOnExec()
                    try channel.pipeline.syncOperations.addHandler(ProxyUpstream())
                }
            }
            .connect(to: address).assumeIsolated().whenComplete { result in
                guard case .success(let channel) = result,
                    let opened = try? channel.pipeline.syncOperations.handler(type: ProxyUpstream.self)
                else { return next(.failure(.refused)) }
                next(.success(opened))
            }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    var peer: (any ProxyRelay)? { client }
    var isActive: Bool { context?.channel.isActive ?? false }

    func send(_ buffer: ByteBuffer) {
        guard let context, buffer.readableBytes > 0 else { return }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Closes after all output is sent.
    func close() {
        client = nil
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    /// Ends the output to the destination after all of it is sent.
    func closeOutput() { context?.close(mode: .output, promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { client?.relay(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) {
        client?.upstreamClosed(hasFailed: hasFailed)
        client = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        context.close(promise: nil)
    }
}

/// The reason why a proxy could not connect.
enum ProxyDialError: Error {
    case unknownHost, refused
}
