import HTTPTypes
import NIOCore
import SternaCore

/// Asks a proxy to reach the server, and again if it demands credentials, then leaves the pipeline.
// Invariant: the stored `var`s are touched on the channel's event loop only.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias InboundOut = Bytes
    typealias OutboundOut = Bytes

    /// The protocol for asking a proxy.
    enum Negotiation {
        case connect(ConnectHandshake)
        case socks(SOCKS5Handshake)
    }

    /// The error for a proxy that closed the connection after a challenge, or made it unusable: the proxy must be asked again on
    /// another one.
    struct ConnectionSpent: Error {}

    private enum State {
        /// Nothing is asked: before the first time, and while a challenge is being answered.
        case idle
        case asking
        /// The proxy has refused; the rest of its response is being read.
        case draining(SternaError)
        case done
    }

    private let proxy: Proxy
    private var state = State.idle
    private var negotiation: Negotiation?
    private var promise: EventLoopPromise<Response?>?
    private var limit: StepLimit
    private var timer: ClockTimer?
    private var drainTimer: ClockTimer?
    private var context: ChannelHandlerContext?

    /// Whether the proxy has challenged, and can be asked again on this connection.
    private(set) var takesAnother = false

    /// How often the proxy was asked.
    private var askedCount = 0

    /// The time for the rest of a refusal; the connection is given up if it takes longer.
    private static let drainTime = TimeAmount.milliseconds(250)

    init(proxy: Proxy, limit: StepLimit) {
        self.proxy = proxy
        self.limit = limit
    }

    /// Asks the proxy; called once the handler is in the pipeline, and again if ``takesAnother`` is true.
    ///
    /// Succeeds when the tunnel is open, with the proxy's response to CONNECT; fails with a `SternaError`, or with
    /// `ConnectionSpent`.
    func ask(
        _ negotiation: Negotiation, within limit: StepLimit, on loop: any EventLoop
    ) -> EventLoopFuture<Response?> {
        loop.assertInEventLoop()
        let promise = loop.makePromise(of: Response?.self)
        self.promise = promise
        self.limit = limit
        self.negotiation = negotiation
        state = .asking
        takesAnother = false
        askedCount += 1
        guard let context, context.channel.isActive else {
            fail(nil)
            return promise.futureResult
        }
        timer = limit.schedule(on: loop) {
            self.finish(.failure(Self.timedOut(self.proxy, limit)))
        }
        let greeting: Bytes
        switch negotiation {
        case .connect(let connect): greeting = connect.greeting
        case .socks(let socks): greeting = Bytes(bytes: socks.greeting)
        }
        context.writeAndFlush(wrapOutboundOut(greeting), promise: nil)
        return promise.futureResult
    }

    /// Closes the connection.
    func close() {
        takesAnother = false
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        takesAnother = false
        fail(nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .done: context.fireChannelRead(data)
        // Nothing was asked: unexpected bytes could not be trusted.
        case .idle: close()
        case .draining(let refusal): drain(unwrapInboundIn(data), behind: refusal)
        case .asking:
            do throws(SternaError) {
                guard let tunnel = try receive(unwrapInboundIn(data), context) else { return }
                finish(.success(tunnel.answer))
                // The next handler is in the pipeline by now; a handler that has left could not reach it.
                if tunnel.leftover.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(tunnel.leftover)) }
                context.pipeline.syncOperations.removeHandler(self, promise: nil)
            } catch {
                guard error.proxyResponse?.status.code == 407 else { return finish(.failure(error)) }
                drain(nil, behind: error)
            }
        }
    }

    private func receive(
        _ bytes: Bytes, _ context: ChannelHandlerContext
    ) throws(SternaError) -> ConnectHandshake.Tunnel? {
        switch negotiation {
        case nil: return nil
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

    private func drain(_ bytes: Bytes?, behind refusal: SternaError) {
        guard case .connect(var connect) = negotiation else { return finish(.failure(refusal)) }
        let progress = connect.drain(bytes)
        negotiation = .connect(connect)
        switch progress {
        case .ended:
            takesAnother = true
            finish(.failure(refusal), next: .idle)
        case .unusable: finish(.failure(refusal))
        case .needsMore:
            state = .draining(refusal)
            guard drainTimer == nil, let loop = context?.eventLoop else { return }
            drainTimer = limit.schedule(on: loop, noLaterThan: Self.drainTime) {
                self.finish(.failure(refusal))
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .done = state { context.fireErrorCaught(error) } else { fail(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        takesAnother = false
        fail(nil)
        context.fireChannelInactive()
    }

    static func timedOut(_ proxy: Proxy, _ limit: StepLimit) -> SternaError {
        SternaError(
            .timedOut, phase: .proxy,
            "The proxy \(proxy) did not reach the server within \(Exchange.seconds(limit.whole))."
        ).advised(.raiseProxy)
    }

    private func fail(_ cause: (any Error)?) {
        switch state {
        case .done: return
        case .idle: return close()
        case .draining(let refusal): return finish(.failure(refusal))
        case .asking: break
        }
        // The proxy may have been about to close when it was asked again.
        if askedCount > 1, case .connect(let connect) = negotiation, !connect.hasReceived {
            return finish(.failure(ConnectionSpent()))
        }
        finish(
            .failure(
                SternaError(
                    .proxyFailed, phase: .proxy,
                    "The proxy \(proxy) closed the connection before it reached the server.", underlying: cause)))
    }

    private func finish(_ result: Result<Response?, any Error>, next: State = .done) {
        if case .done = state { return }
        state = next
        timer?.cancel()
        drainTimer?.cancel()
        (timer, drainTimer) = (nil, nil)
        let promise = promise
        self.promise = nil
        promise?.completeWith(result)
    }
}
