import NIOCore
import SternaCore
import Synchronization

/// Rests: short times in which requests wait for a connection that is about to be free, and do not dial another.
///
/// They are measured in the event loop's own time. They wait for bytes on their way, which a test's clock does not hold up.
extension HTTP1Connection {
    /// Begins a rest, which the pool has announced.
    func beginRest(_ isOver: @escaping @Sendable () -> Void) {
        rest = shard.loop.scheduleTask(in: restTime, isOver)
    }

    /// Ends a rest, if there is one: the connection is free, or requests wait for it no longer.
    func endRest() {
        guard let timer = rest.take() else { return }
        timer.cancel()
        endpoint.pools[shard.index].hasRested(self)
        endpoint.endExpectation(on: shard.index)
    }

    // MARK: HEAD

    /// Gives the connection back after a response to HEAD, behind which content may arrive.
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
        // A server may end an idle connection with a response of its own, 408 for one.
        if parser.isHeadRequest, rest != nil || !bytes.readableBytesView.starts(with: "HTTP/1.".utf8) {
            endpoint.headConduct.withLock { $0.sentContent() }
        }
        // No later response on this connection could be trusted.
        close()
    }

    /// Handles first bytes that are no status line, on a connection whose previous exchange was a HEAD: they are its content.
    func receivedContentOfHead() {
        endpoint.headConduct.withLock { $0.sentContent() }
        guard let exchange, exchange.mayRetryOnFreshConnection else {
            return fail(
                SternaError(
                    .malformedResponse, phase: .read,
                    "The server sent content behind its response to the HEAD request before this one, on the same "
                        + "connection, so that this request's response cannot be told. It may have been processed."))
        }
        detach()
        abort()
        shard.resubmit(exchange, because: .staleConnection)
    }
}
