import NIOCore
import SternaCore
import Synchronization

/// Rests: short times in which requests wait for a connection that is about to be free instead of dialling another.
///
/// They are measured by the event loop's clock, not by `NetworkClock`: they wait for bytes in transit, which a test's clock does
/// not delay.
extension HTTP1Connection {
    /// Begins a rest, after the pool has announced the connection.
    func beginRest(_ isOver: @escaping @Sendable () -> Void) {
        rest = shard.loop.scheduleTask(in: restTime, isOver)
    }

    /// Ends the rest, if any: the connection is free, or requests no longer wait for it.
    func endRest() {
        guard let timer = rest.take() else { return }
        timer.cancel()
        endpoint.pools[shard.index].hasRested(self)
        endpoint.endExpectation(on: shard.index)
    }

    // MARK: HEAD

    /// Gives the connection back after a response to HEAD, which content may follow.
    func releaseAfterHead() {
        switch endpoint.headConduct.withLock({ $0.next }) {
        case .rest where !shard.isShutDown:
            let pool = endpoint.pools[shard.index]
            pool.expectConnection()
            pool.rest(self)
            shard.list(pool)
            beginRest { self.wasSilentAfterHead() }
        case .rest, .reuse: shard.release(self)
        case .close: if endpoint.isPermitWanted { abort() } else { close() }
        }
    }

    private func wasSilentAfterHead() {
        guard rest != nil else { return }
        // The event loop may have been too busy to read.
        guard unreadInput == .nothing else { return abort() }
        endpoint.headConduct.withLock { $0.wasSilent() }
        endRest()
        shard.release(self)
    }

    /// Handles bytes that belong to no request.
    func receivedUnasked(_ bytes: Bytes) {
        // A server may end an idle connection with a response of its own, such as 408.
        if parser.isHeadRequest, rest != nil || !bytes.readableBytesView.starts(with: "HTTP/1.".utf8) {
            endpoint.headConduct.withLock { $0.sentContent() }
        }
        // No later response on this connection could be trusted.
        close()
    }

    /// Handles first bytes that are not a status line, on a connection whose previous exchange was a HEAD: they are its content.
    func receivedContentOfHead() {
        endpoint.headConduct.withLock { $0.sentContent() }
        guard let exchange, exchange.mayRetryOnFreshConnection else {
            return fail(
                SternaError(
                    .malformedResponse, phase: .read,
                    "The server sent content after its response to the previous HEAD request on the same "
                        + "connection, so the response to this request cannot be recognized. The request may have been processed."
                ))
        }
        detach()
        abort()
        shard.resubmit(exchange, because: .staleConnection)
    }
}
