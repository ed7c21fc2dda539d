import NIOCore
import SternaCore

/// Asks a proxy to reach the server, then leaves the pipeline.
// Invariant: the stored `var`s are touched on the channel's event loop only.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias InboundOut = Bytes
    typealias OutboundOut = Bytes

    /// How a proxy is asked.
    enum Negotiation {
        case connect(ConnectHandshake)
        case socks(SOCKS5Handshake)
    }

    /// Succeeds when the tunnel is there, with the proxy's answer to CONNECT; fails with a `SternaError`.
    let promise: EventLoopPromise<Response?>
    private var negotiation: Negotiation
    private let proxy: Proxy
    private let limit: StepLimit
    private var timer: ClockTimer?
    private var isDone = false

    init(_ negotiation: Negotiation, proxy: Proxy, limit: StepLimit, promise: EventLoopPromise<Response?>) {
        self.negotiation = negotiation
        self.proxy = proxy
        self.limit = limit
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = limit.schedule(on: context.eventLoop) {
            self.finish(.failure(Self.timedOut(self.proxy, self.limit)))
        }
        let greeting: Bytes
        switch negotiation {
        case .connect(let connect): greeting = connect.greeting
        case .socks(let socks): greeting = Bytes(bytes: socks.greeting)
        }
        context.writeAndFlush(wrapOutboundOut(greeting), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) { fail(nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        do throws(SternaError) {
            guard let tunnel = try receive(unwrapInboundIn(data), context) else { return }
            finish(.success(tunnel.answer))
            // By now whoever comes next is in the pipeline, which a handler that has left does not reach.
            if tunnel.leftover.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(tunnel.leftover)) }
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            finish(.failure(error))
        }
    }

    private func receive(
        _ bytes: Bytes, _ context: ChannelHandlerContext
    ) throws(SternaError) -> ConnectHandshake.Tunnel? {
        switch negotiation {
        case .connect(var connect):
            defer { negotiation = .connect(connect) }
            return try connect.receive(bytes)
        case .socks(var socks):
            defer { negotiation = .socks(socks) }
            switch try socks.receive(bytes.readableBytesView) {
            case .needsMore: return nil
            case .send(let answer):
                context.writeAndFlush(wrapOutboundOut(Bytes(bytes: answer)), promise: nil)
                return nil
            case .established(let leftover): return .init(answer: nil, leftover: Bytes(bytes: leftover))
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isDone { context.fireErrorCaught(error) } else { fail(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(nil)
        context.fireChannelInactive()
    }

    static func timedOut(_ proxy: Proxy, _ limit: StepLimit) -> SternaError {
        SternaError(
            .timedOut, phase: .proxy,
            "The proxy \(proxy) had not reached the server within \(Exchange.seconds(limit.whole)).")
    }

    private func fail(_ cause: (any Error)?) {
        finish(
            .failure(
                SternaError(
                    .proxyFailed, phase: .proxy,
                    "The proxy \(proxy) closed the connection before it had reached the server.", underlying: cause)))
    }

    private func finish(_ result: Result<Response?, SternaError>) {
        guard !isDone else { return }
        isDone = true
        timer?.cancel()
        timer = nil
        promise.completeWith(result.mapError { $0 })
    }
}
