import NIOCore
import SternaCore

/// Shutdown of an engine that is not shared.
extension Engine {
    /// Waits until each event loop has run the work submitted so far, and the calls of user code that it posted.
    package func settle() async {
        // Posted calls run in a turn of their own, so one round would not see them.
        for _ in 0..<2 {
            for shard in shards { try? await shard.loop.submit {}.get() }
        }
    }

    /// Stops accepting requests and waits for those that have a connection, for at most the grace period.
    ///
    /// Requests that wait for a connection fail with `shutDown`, as do those still running at the end of the grace period.
    /// Cancelling the task ends the grace period at once.
    ///
    /// The event loops keep running. The shared engine is never shut down; this call only closes its idle connections.
    ///
    /// - Parameter grace: how long running requests may take; 30 s by default.
    public func shutDown(within grace: Duration = .seconds(30)) async {
        guard self !== Engine.shared else { return closeIdleConnections() }
        let drained = beginShutdown(within: grace)
        await withTaskCancellationHandler {
            for future in drained { try? await future.get() }
        } onCancel: {
            _ = beginShutdown(within: .zero)
        }
        self.grace.end()
        for endpoint in permits.endpoints { endpoint.endWaiting(isOver: true) }
        for shard in shards { shard.loop.execute { shard.graceIsOver() } }
        forgetTransports()
    }

    private func beginShutdown(within grace: Duration) -> [EventLoopFuture<Void>] {
        self.grace.begin()
        for endpoint in permits.endpoints { endpoint.endWaiting(isOver: false) }
        return shards.map { shard in
            let promise = shard.loop.makePromise(of: Void.self)
            shard.loop.execute { shard.shutDown(promise, grace: TimeAmount(clamping: grace)) }
            return promise.futureResult
        }
    }
}
