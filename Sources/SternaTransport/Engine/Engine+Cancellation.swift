import NIOCore
import SternaCore

/// The cancellation of many calls at once.
extension Engine {
    /// Cancels the calls under way whose scopes were cancelled.
    ///
    /// An attempt that is moving from the queue to a connection meanwhile notices the cancellation when it arrives.
    package func endCancelledCalls() {
        for endpoint in permits.endpoints { endpoint.endCancelledCalls() }
        for shard in shards {
            shard.loop.execute {
                for exchange in shard.active.members where exchange.call?.isScopeCancelled == true {
                    exchange.call?.cancel()
                }
            }
        }
    }
}

extension Endpoint {
    // Exchanges are collected first: a cancelled one removes itself from the queue, which must not happen while the queue is
    // locked.
    fileprivate func endCancelledCalls() {
        let waiting: [Exchange] = change { queue in
            var found: [Exchange] = []
            queue.waiters.forEach { exchange, _ in
                if exchange.call?.isScopeCancelled == true { found.append(exchange) }
            }
            return found
        }
        for exchange in waiting { exchange.callCancelled() }
    }
}
