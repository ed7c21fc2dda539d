import NIOCore
import SternaCore

/// The end of an engine that is not shared.
extension Engine {
    /// Waits until the event loops have done what they were told so far.
    package func settle() async {
        for shard in shards { try? await shard.loop.submit {}.get() }
    }

    /// Takes no more requests, and returns when those that have a connection have ended, or the grace is over; those that wait for
    /// a connection, and what is left at the end of the grace, fail with `shutDown`.
    ///
    /// The event loops are not touched. The engine that sessions share is never shut down; nothing happens there but that idle
    /// connections are closed.
    ///
    /// - Parameter grace: how long requests under way may take; 30 s by default.
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
