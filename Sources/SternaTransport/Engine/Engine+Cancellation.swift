import NIOCore
import SternaCore

/// The cancellation of many calls at once.
extension Engine {
    /// Cancels the calls under way whose scopes were cancelled.
    ///
    /// An attempt that is on its way between the queue and a connection meanwhile finds its call cancelled when it arrives.
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
    // A cancelled exchange leaves the queue by itself, after the walk through it.
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
