import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// Dials on this event loop, and idle connections that are closed to make room.
extension Shard {
    // MARK: Idle connections

    /// Closes an idle connection of an endpoint for one of its requests that needs an unused one. Tries this shard first, then
    /// the others in turn.
    func closeIdleSoon(of endpoint: Endpoint, turn: Int = 0) {
        loop.execute {
            guard endpoint.lacksFreshConnection, !endpoint.pools[self.index].closeOldest() else { return }
            guard turn + 1 < endpoint.pools.count else { return }
            endpoint.pools[(self.index + 1) % endpoint.pools.count].shard.closeIdleSoon(of: endpoint, turn: turn + 1)
        }
    }

    /// Closes an idle connection of another endpoint, since the limit of all connections is reached. Tries this shard first,
    /// then the others in turn.
    func closeAnyIdleSoon(for endpoint: Endpoint, turn: Int = 0) {
        loop.execute {
            guard endpoint.permits.isStarving else { return }
            let own = endpoint.pools[self.index]
            for pool in self.idlePools where pool !== own || endpoint.lacksFreshConnection {
                if pool.closeOldest() { return }
            }
            guard turn + 1 < endpoint.pools.count else { return }
            let next = endpoint.pools[(self.index + 1) % endpoint.pools.count].shard
            next.closeAnyIdleSoon(for: endpoint, turn: turn + 1)
        }
    }

    /// Has paused calls give up as many connections as waiting requests lack. Tries this shard first, then the others in turn.
    func releasePausedSoon(for endpoint: Endpoint, turn: Int = 0, released: Int = 0) {
        loop.execute {
            var wanted = endpoint.lackingConnections
            var count = released
            for exchange in self.active.members where exchange.call?.isPaused == true {
                guard wanted > 0 else { break }
                guard exchange.endpoint === endpoint || endpoint.permits.isStarving,
                    exchange.call?.giveUpConnections() == true
                else { continue }
                wanted -= 1
                count += 1
            }
            if wanted > 0, turn + 1 < endpoint.pools.count {
                let next = endpoint.pools[(self.index + 1) % endpoint.pools.count].shard
                return next.releasePausedSoon(for: endpoint, turn: turn + 1, released: count)
            }
            let hasReleased = count > 0
            // After the ends of the attempts, which are later tasks of the event loops.
            self.loop.execute {
                if endpoint.endAskingPausedCalls() || hasReleased { endpoint.arrange() }
            }
        }
    }

    // MARK: Dials

    /// Begins a dial; callable from any thread.
    func begin(_ dial: Dial) {
        guard loop.inEventLoop, !isBeginning else { return loop.execute { self.open(dial) } }
        isBeginning = true
        open(dial)
        isBeginning = false
    }

    private func open(_ dial: Dial) {
        loop.assertInEventLoop()
        dials.add(dial)
        counts.dials += 1
        if isShutDown, grace.isOver || !dial.endpoint.hasWaiters { dial.cancel() }
        dialer.open(dial).whenComplete { result in
            _ = self.dials.remove(dial)
            dial.end()
            switch result {
            case .success(.http1(let connection)): self.opened(connection, by: dial)
            case .success(.http2(let connection)): self.opened(connection, by: dial)
            case .success(.shared(let connection)): self.shares(connection, by: dial)
            case .failure(let error):
                self.failed(
                    dial, SternaError.wrap(error, as: .connectionFailed, phase: .connect, "Cannot connect."))
            }
        }
    }

    private func failed(_ dial: Dial, _ error: SternaError) {
        let endpoint = dial.endpoint
        counts.failedDials += 1
        endpoint.lost(on: index)
        if dial.isCancelled {
            endpoint.change { _ = $0.gaveUp(dial) }
            endpoint.arrange()
            return checkDrained()
        }
        // A timed-out dial also fails the waiters with no more patience than it had. They stay if another connection, open or
        // about to be, may yet serve them.
        let isTimeout = error.kind == .timedOut
        let isOnly = endpoint.permits.open(of: endpoint) == 0 && endpoint.pools[index].streams.isEmpty
        let counts = Self.blamesServer(error, dial)
        let (losers, hasDialsLeft) = endpoint.change { queue in
            let losers = queue.failed(
                dial, counts: counts, holdsForAll: error.kind == .addressRefused, takesAlong: isTimeout && isOnly,
                at: now
            ) { waiter in
                !isTimeout || DialLimits(waiter.request.timeouts).areNoLonger(than: dial.limits, in: error.phase)
            }
            for loser in losers { loser.leftQueue(with: dial) }
            return (losers, !queue.dials.isEmpty)
        }
        for exchange in losers { exchange.fail(error) }
        // A waiter that counted as dialling is queued without a dial again.
        if losers.isEmpty, !hasDialsLeft, endpoint.hasWaiters { endpoint.checkWaiters() }
        endpoint.arrange()
        checkDrained()
    }

    // Whether further dials would probably fail, too. A certificate is evaluated anew each time, and a time-out of less than 5 s
    // proves no fault of the server.
    private static func blamesServer(_ error: SternaError, _ dial: Dial) -> Bool {
        switch error.kind {
        case .connectionFailed, .hostNotFound, .tlsFailed, .proxyFailed: true
        case .timedOut: dial.limits.least >= .seconds(5)
        default: false
        }
    }

    func failedAtOnce(_ dial: Dial) {
        failed(dial, SternaError(.connectionFailed, phase: .connect, "The server closed the connection at once."))
    }

    func opened(_ connection: HTTP1Connection, by dial: Dial) {
        loop.assertInEventLoop()
        guard connection.establish() else { return failedAtOnce(dial) }
        let timeline = dial.timeline
        connection.opening = timeline
        connection.spokenTLSVersion = timeline.tlsVersion
        connection.restTime = KeptConnectionRule.rest(afterDialOf: clock.now - timeline.began)
        let endpoint = dial.endpoint
        endpoint.speaksHTTP1()
        if !hand(connection) { keepIdle(connection) }
        // Only now, so that no other connection is opened meanwhile for the request that this one serves.
        endpoint.change { $0.opened(dial) }
        endpoint.arrange()
    }
}
