import NIOCore
import NIOHPACK
import NIOHTTP2
import SternaCore

/// The client's end of a stream that a proxy turns into a tunnel (RFC 9113, 8.5): asks for the tunnel, then carries bytes both
/// ways.
// Invariant: the stored `var`s are touched on the channel's event loop only.
final class TunnelStream: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The error of a proxy that has not responded; it may be asked again on another connection.
    struct Unanswered: Error {
        let cause: (any Error)?
    }

    private enum State { case asking, open, over }

    /// Succeeds when the tunnel is open; fails with a `SternaError`, or with `Unanswered`.
    let promise: EventLoopPromise<TunnelChannel>

    /// The number of bytes that were handed over but not yet sent to the proxy.
    private(set) var unwrittenBytes = 0
    private let handshake: ConnectHandshake
    private let limits: Limits
    private let limit: StepLimit
    private var timer: ClockTimer?
    private var state = State.asking
    private var interimCount = 0
    private var context: ChannelHandlerContext?
    private var tunnel: TunnelChannel?

    /// Called once, when the stream is no longer in use.
    var whenOver: (() -> Void)?

    /// The head of the proxy's response, once the tunnel is open.
    private(set) var answer: Response?

    /// The stream's identifier, once the request is on its way.
    private(set) var id: HTTP2StreamID?
    var isAsking: Bool { state == .asking }

    init(_ handshake: ConnectHandshake, limits: Limits, limit: StepLimit, promise: EventLoopPromise<TunnelChannel>) {
        self.handshake = handshake
        self.limits = limits
        self.limit = limit
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelActive(context: ChannelHandlerContext) {
        timer = limit.schedule(on: context.eventLoop) {
            guard let context = self.context else { return }
            self.fail(TunnelHandler.timedOut(self.handshake.proxy, self.limit), context)
        }
        let request = HTTP2Frame.FramePayload.headers(.init(headers: handshake.headers))
        context.writeAndFlush(wrapOutboundOut(request)).assumeIsolated().whenFailure { error in
            self.fail(Unanswered(cause: error), context)
        }
        id = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        context.read()
    }

    // MARK: From the proxy

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let section): received(section, context)
        case .data(let piece):
            guard state == .open else { return fail(handshake.refusal("it sent bytes before its response."), context) }
            if case .byteBuffer(let bytes) = piece.data, bytes.readableBytes > 0 {
                tunnel?.received(bytes)
            }
            if piece.endStream { close(context) }
        default: break
        }
    }

    private func received(_ section: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext) {
        // After the head of the response, more fields can only end the stream.
        guard state == .asking else { return close(context) }
        do throws(ParseFailure) {
            let answer = try HTTP2ResponseFields(section.headers, limits: limits, ignoresLength: true)
            if answer.isInformational {
                guard !section.endStream else { throw .malformed("an interim response ends the stream.") }
                interimCount += 1
                guard interimCount <= Self.mostInterim else {
                    throw .limit("it sent too many interim responses.")
                }
                return
            }
            guard (200..<300).contains(answer.status) else {
                return fail(handshake.refusal(answer.status, .http2, answer.section), context)
            }
            guard !section.endStream else { throw .malformed("its response ends the stream.") }
            self.answer = handshake.answer(answer.status, .http2, answer.section)
        } catch {
            return fail(handshake.refusal(error.detail), context)
        }
        state = .open
        timer?.cancel()
        timer = nil
        let tunnel = TunnelChannel.make(over: context.channel, of: self)
        self.tunnel = tunnel
        promise.succeed(tunnel)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let tunnel { tunnel.readComplete() } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { tunnel?.writabilityChanged() }

    private static let mostInterim = 16

    // MARK: To the proxy

    func send(_ bytes: Bytes, _ promise: EventLoopPromise<Void>?) {
        assert(context?.eventLoop.inEventLoop != false)
        let count = bytes.readableBytes
        guard let context, state == .open, count > 0 else {
            if count > 0 { promise?.fail(ChannelError.ioOnClosedChannel) } else { promise?.succeed(()) }
            return
        }
        unwrittenBytes += count
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.assumeIsolated().whenComplete { _ in self.unwrittenBytes -= count }
        context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(bytes)))), promise: written)
    }

    func flush() { context?.flush() }

    func read() { context?.read() }

    // MARK: Ends

    func channelInactive(context: ChannelHandlerContext) {
        end(Unanswered(cause: nil))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(Unanswered(cause: nil))
        self.context = nil
    }

    // The network may never accept the stream's end, so the tunnel's handlers are told of it now.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        giveUp()
    }

    /// Ends the stream; the dial may ask again on another connection.
    func giveUp() { end(Unanswered(cause: nil)) }

    // The channel becomes inactive afterwards; handlers inside a tunnel need not know of streams.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if state == .asking { fail(Unanswered(cause: error), context) }
    }

    private func close(_ context: ChannelHandlerContext) {
        context.close(promise: nil)
        giveUp()
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        guard state == .asking else { return }
        end(error)
        context.close(promise: nil)
    }

    private func end(_ error: any Error) {
        assert(context?.eventLoop.inEventLoop != false)
        timer?.cancel()
        timer = nil
        let wasAsking = state == .asking
        state = .over
        let (tunnel, whenOver) = (tunnel, whenOver)
        self.tunnel = nil
        self.whenOver = nil
        whenOver?()
        if wasAsking { promise.fail(error) }
        tunnel?.end()
    }
}
