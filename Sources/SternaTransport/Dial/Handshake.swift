import NIOCore
import NIOSSL
import NIOTLS
import SternaCore
import SternaSecurity

/// Waits for a connection's TLS handshake, then leaves the pipeline.
///
/// Its place after the TLS library's handler lets it see a close before the library sends close_notify.
// Invariant: the stored `var`s are touched on the channel's event loop only.
final class Handshake: ChannelDuplexHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias OutboundIn = Bytes

    /// Succeeds when the connection may be used; fails with a `SternaError`.
    let promise: EventLoopPromise<Void>

    /// Evaluates the server's certificates; nil before and afterwards. Cancelled when the handshake ends without a verdict.
    var judging: Task<Void, Never>?

    /// The TLS handler that performs the handshake.
    var handler: NIOSSLClientHandler?

    /// Why the server's certificate was refused.
    var rejection: TrustFailure?

    /// The certificates that the server presented, in DER.
    var chain: [[UInt8]] = []

    /// The application protocol that the server chose (ALPN).
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

    // The channel may just have closed and then only removes its handlers.
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

    // A cancelled dial closes its channel, so the user's evaluators can stop.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all { judging?.cancel() }
        context.close(mode: mode, promise: promise)
    }

    static func timedOut(_ host: String, _ timeout: Duration, isJudging: Bool = false) -> SternaError {
        SternaError(
            .timedOut, phase: .tls,
            "The TLS handshake with \(host) took longer than \(Exchange.seconds(timeout))"
                + (isJudging ? "; a check of the certificate was still running." : ".")
        ).advised(.raiseTLS)
    }

    /// Ends the wait with an error of the TLS library.
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
