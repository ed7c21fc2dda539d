import NIOCore
import SternaCore

/// Time limits: one timer for all requests and idle connections of a shard.
extension Shard {
    func add(_ exchange: Exchange) {
        loop.assertInEventLoop()
        active.add(exchange)
    }

    /// Removes a request that has ended.
    func remove(_ exchange: Exchange) {
        loop.assertInEventLoop()
        guard active.remove(exchange) else { return }
        if active.isEmpty, isShutDown { checkDrained() }
    }

    /// Ensures that limits are checked by a moment. Most requests end long before the timer that is already set, so they cost a
    /// comparison.
    func tickNoLater(than moment: NIODeadline) {
        loop.assertInEventLoop()
        // Reads the time alone: `isSet` would copy the timer.
        if let earliest = limitTimer.moment, earliest <= moment { return }
        limitTimer.clear()
        limitTimer.set(clock.schedule(at: moment, on: loop) { self.checkLimits() }, at: moment)
    }

    /// Counts checks of waiting requests; callable from any thread.
    func note(checked: Int) { loop.execute { self.counts.checked += checked } }

    private func checkLimits() {
        limitTimer.fired()
        let now = clock.now
        var next = NIODeadline.distantFuture
        var checked = active.count
        for exchange in active.members {
            let limit = exchange.timeLimit()
            guard limit.at <= now else {
                next = min(next, limit.at)
                continue
            }
            if exchange.goesOn(beyond: limit, at: now) {
                next = min(next, exchange.timeLimit().at)
            } else {
                abandon(exchange, exchange.timeoutError(limit))
            }
        }
        for pool in idlePools {
            checked += pool.count
            next = min(next, pool.check(at: now))
        }
        idlePools.removeAll { pool in
            pool.isListed = pool.count > 0
            return !pool.isListed
        }
        counts.checked += checked
        guard next < .distantFuture else { return }
        let distance = LimitCheckSchedule.distance(for: checked)
        tickNoLater(than: distance == 0 ? next : max(next, now + .nanoseconds(distance)))
    }
}
