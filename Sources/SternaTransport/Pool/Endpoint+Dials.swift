import NIOCore
import SternaCore
import Synchronization

/// Permits for connections, and the dials that begin with them; callable from any thread.
extension Endpoint {
    /// Serves waiting requests: offers idle connections, and dials for the rest.
    ///
    /// - Parameter prefersDial: whether to dial even if another event loop has an idle connection.
    func arrange(prefersDial: Bool = false) {
        guard hasWaiters else { return leavePermitQueue() }
        var offered = prefersDial ? 0 : offerIdle()
        let expected = expectedConnections(onThisLoop: prefersDial)
        while askForPermit(beyond: offered + expected) {}
        if prefersDial, hasWaiters { offered = offerIdle() }
        endNeedlessWarmUps()
        refuseTooMany()
        // A request that needs an unused connection takes the place of an idle one.
        if lacksFreshConnection { pools[0].shard.closeIdleSoon(of: self) }
        if ConnectionRelease.isOffered { askPausedCalls() }
        leavePermitQueue()
        if offered == 0 { waitForBackoff() }
    }

    // A waiter enters the queue before it looks for idle connections, and a pool counts a spare connection before it looks for
    // waiters. So at least one of the two sees the other.
    private func offerIdle() -> Int {
        guard hasWaitersForAny else { return 0 }
        var count = 0
        for pool in pools where pool.spareCount > 0 {
            count += pool.spareCount
            pool.shard.serveSoon(self)
        }
        if let homeShard, hasSpokenHTTP2.load(ordering: .relaxed), !pools[homeShard].shard.loop.inEventLoop {
            pools[homeShard].shard.serveSoon(self)
        }
        return count
    }

    // Waiters that accept a used connection wait for those that are about to be free, as long as they are.
    private func expectedConnections(onThisLoop: Bool) -> Int {
        guard hasWaitersForAny else { return 0 }
        return pools.reduce(0) { !onThisLoop || $1.shard.loop.inEventLoop ? $0 + $1.expectedCount : $0 }
    }

    /// Ends the wait for a connection that was about to be free, on a shard: in a later task of its event loop, once the connection
    /// is idle or has been given to a waiter. Until then no other one is opened for that waiter.
    func endExpectation(on index: Int) {
        pools[index].shard.loop.execute {
            self.pools[index].endExpectation()
            self.arrange()
        }
    }

    /// Asks for a permit if one is needed. Returns whether to ask again.
    private func askForPermit(beyond spare: Int) -> Bool {
        let ask: Queue.Ask? = change { queue in
            queue.maximumDials = dialLimit(of: &queue)
            guard queue.wantsPermit(at: now, beyond: spare) else { return nil }
            return queue.asks()
        }
        guard let ask else { return false }
        let outcome = permits.take(self, waits: ask.isForRequest)
        if outcome == .granted { return dial() }
        change { $0.wasRefused(ask, outcome) }
        guard ask.isForRequest else {
            endNeedlessWarmUps(anyway: true)
            return true
        }
        if outcome == .allAreOpen { pools[0].shard.closeAnyIdleSoon(for: self) }
        return false
    }

    /// The number of waiting requests that get no connection, since a limit of connections is reached.
    var lackingConnections: Int { hasWaiters ? change { $0.lackingConnections } : 0 }

    /// Asks calls of suspended tasks for the connections that waiting requests lack, if any.
    func askPausedCalls() {
        guard lackingConnections > 0, beginAskingPausedCalls() else { return }
        pools[0].shard.releasePausedSoon(for: self)
    }

    // The connection limit is reached, so a connection is open: warm-ups, which need no more than that, are complete.
    private func endNeedlessWarmUps(anyway: Bool = false) {
        let ended = change { $0.takeNeedlessWarmUps(anyway: anyway) }
        for exchange in ended { exchange.endWarmUp() }
    }

    /// Uses a permit that the endpoint waited for.
    func permitGranted() {
        _ = dial()
        arrange()
    }

    /// Leaves the queue for permits once no waiter needs one: other endpoints close connections for queued endpoints.
    func leavePermitQueue() {
        guard permits.isStarving, change({ $0.needsNoPermit }), permits.leavePermitQueue(self) else { return }
        change { $0.mayAskAgain() }
        // A waiter may have arrived between the two steps.
        if hasWaiters { arrange() }
    }

    // MARK: Dials

    /// Begins a dial with a granted permit, or gives the permit back. Returns whether a dial began.
    private func dial() -> Bool {
        let dial: Dial? = change { queue in
            queue.mayAskAgain()
            guard let exchange = queue.nextToDial(at: now) else { return nil }
            let shard = pools[loopToDial(for: exchange, queue)].shard
            let dial = Dial(
                to: self, on: shard, timeouts: exchange.request.timeouts,
                mayShare: exchange.maySharePeers && !avoidsSharing.load(ordering: .relaxed))
            queue.began(dial, on: shard.index, at: now)
            return dial
        }
        guard let dial else {
            permits.give(self)
            return false
        }
        dial.shard.begin(dial)
        return true
    }

    private func loopToDial(for exchange: Exchange, _ queue: borrowing Queue) -> Int {
        if let homeShard { return homeShard }
        let first = queue.loopToFill(from: id % pools.count)
        if let tunnelKey { return tunnelShards.shard(for: tunnelKey, otherwise: exchange.callerLoop ?? first) }
        return exchange.callerLoop ?? first
    }

    // Allows one dial at a time where one connection may serve all waiters. The limit ends when the first dial takes so long
    // that the waiters could have had connections of their own by then.
    private func dialLimit(of queue: inout Queue) -> Int {
        guard holds.load(ordering: .relaxed) == 0, !grace.isOver else { return 0 }
        let most = 16 * pools.count
        guard homeShard != nil else { return most }
        guard http2 != .priorKnowledge, !hasSpokenHTTP2.load(ordering: .relaxed) else { return 1 }
        guard let first = queue.dials.first, queue.waiters.count > 1 else { return 1 }
        let patience = pools[0].shard.firstDialPatience
        let limit = NIODeadline.uptimeNanoseconds(UInt64(clamping: first.began)) + patience
        if clock >= limit { return most }
        if !queue.isImpatient {
            queue.isImpatient = true
            schedule(at: limit) { [weak self] in
                self?.change { $0.isImpatient = false }
                self?.arrange()
            }
        }
        return 1
    }

    // Schedules dials for the end of the back-off, where nothing else delays them.
    private func waitForBackoff() {
        let moment: Int64? = change { queue in
            guard !queue.isPausing, !queue.waiters.isEmpty, queue.dials.isEmpty, queue.asking == .none,
                queue.backoff.allowed(of: 1, at: now) == 0
            else { return nil }
            queue.isPausing = true
            return queue.backoff.notBefore
        }
        guard let moment else { return }
        schedule(at: .uptimeNanoseconds(UInt64(clamping: moment))) { [weak self] in
            self?.change { $0.isPausing = false }
            self?.arrange()
        }
    }

    /// Gives back the permit of a closed connection, or of a dial that ended without one.
    func lost(on loop: Int) {
        permits.give(self)
        change { $0.lost(on: loop) }
    }
}
