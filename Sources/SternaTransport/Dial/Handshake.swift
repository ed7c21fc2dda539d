import NIOCore
import NIOSSL
import NIOTLS
import SternaCore
import SternaSecurity

/// Waits for a connection's TLS handshake, then leaves the pipeline.
///
/// It stands behind the TLS library's handler, so that it sees the channel being closed before that says goodbye to the server.
// Invariant: the stored `var`s are touched on the channel's event loop only.
final class Handshake: ChannelDuplexHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias OutboundIn = Bytes

    /// Succeeds when the connection may be used; fails with a `SternaError`.
    let promise: EventLoopPromise<Void>

    /// Judges the server's certificates; nil before and afterwards. Cancelled when the handshake ends without a verdict.
    var judging: Task<Void, Never>?

    /// The handler that does it.
    var handler: NIOSSLClientHandler?

    /// Why the server's certificate was refused.
    var rejection: TrustFailure?

    /// The certificates that the server presented, in DER.
    var chain: [[UInt8]] = []

    /// What the server chose for the application layer (ALPN).
    private(set) var applicationProtocol: String?

    private let host: String
    private let limit: StepLimit
    private var isDone = false
    private var timer: ClockTimer?

    init(host: String, limit: StepLimit, promise: EventLoopPromise<Void>) {
        self.host = host
        self.limit = limit
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = limit.schedule(on: context.eventLoop) {
            self.finish(Self.timedOut(self.host, self.limit.whole, isJudging: self.judging != nil))
        }
    }

    // It may be added to a channel that has just died, which then does nothing but take its handlers out.
    func handlerRemoved(context: ChannelHandlerContext) { fail(nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted(let chosen) = event {
            applicationProtocol = chosen
            finish(nil)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isDone { context.fireErrorCaught(error) } else { fail(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(nil)
        context.fireChannelInactive()
    }

    // A dial that is given up closes its channel. Evaluators of the user's own need not go on.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all { judging?.cancel() }
        context.close(mode: mode, promise: promise)
    }

    static func timedOut(_ host: String, _ timeout: Duration, isJudging: Bool = false) -> SternaError {
        SternaError(
            .timedOut, phase: .tls,
            "The TLS handshake with \(host) took longer than \(Exchange.seconds(timeout))"
                + (isJudging ? "; a check of the certificate was still running." : "."))
    }

    /// Ends the wait with what the TLS library said.
    func fail(_ error: (any Error)?) {
        if let rejection {
            finish(
                SternaError(
                    .certificateRejected, phase: .tls,
                    "The certificate of \(host) is not trusted: \(Self.sentence(rejection))",
                    underlying: rejection))
            return
        }
        finish(TLSFault.handshake(error, host: host))
    }

    private static func sentence(_ failure: TrustFailure) -> String {
        let text = failure.description
        return text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
    }

    private func finish(_ error: SternaError?) {
        guard !isDone else { return }
        isDone = true
        timer?.cancel()
        timer = nil
        judging?.cancel()
        if let error { promise.fail(error) } else { promise.succeed(()) }
    }
}
