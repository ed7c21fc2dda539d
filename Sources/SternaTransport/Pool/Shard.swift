import DequeModule
import NIOCore
import SternaCore

/// The part of an engine that lives on one event loop: requests under way, connections, and one timer for all of them.
// Invariant: the stored `var`s are touched on `loop` only.
final class Shard: @unchecked Sendable {
    let index: Int
    let loop: any EventLoop
    let dialer: Dialer
    let executor: EventLoopExecutor
    let idleTimeout: TimeAmount
    private var active: [Exchange] = []
    private var idlePools: [EndpointPool] = []
    private var tick: (at: NIODeadline, task: Scheduled<Void>)?

    init(index: Int, loop: any EventLoop, dialer: Dialer, idleTimeout: TimeAmount) {
        self.index = index
        self.loop = loop
        self.dialer = dialer
        executor = EventLoopExecutor(loop)
        self.idleTimeout = idleTimeout
    }

    // MARK: Requests

    /// Takes a request: on an idle connection at once, else when one is free or opened.
    func submit(_ exchange: Exchange) {
        exchange.isSubmitted = true
        guard !exchange.isCancelled else {
            if exchange.hasReservation { exchange.endpoint.pools[index].countIdle(1) }
            exchange.fail(.cancelled(phase: .queue))
            return
        }
        add(exchange)
        let pool = exchange.endpoint.pools[index]
        while !exchange.needsFreshConnection, let connection = pool.idle.popLast() {
            if connection.isUsable {
                if !exchange.hasReservation { pool.countIdle(-1) }
                connection.start(exchange)
                return
            }
            pool.countIdle(-1)
            connection.close()
        }
        if exchange.hasReservation, exchange.attempt == 1 { pool.countIdle(1) }
        if exchange.needsFreshConnection {
            pool.waiters.prepend(exchange)
        } else {
            pool.waiters.append(exchange)
        }
        tickNoLater(than: exchange.deadline)
        dialIfNeeded(exchange.endpoint)
    }

    /// Sends a request once more, on a connection that was never used.
    func resubmit(_ exchange: Exchange) {
        exchange.attempt += 1
        exchange.needsFreshConnection = true
        exchange.phase = .queued
        exchange.connection = nil
        remove(exchange)
        submit(exchange)
    }

    /// Ends a request before its response is complete: cancelled, or out of time.
    func abandon(_ exchange: Exchange, _ error: SternaError) {
        if let connection = exchange.connection {
            connection.fail(error)
            return
        }
        let pool = exchange.endpoint.pools[index]
        pool.waiters.removeAll { $0 === exchange }
        leaveLine(exchange.endpoint)
        remove(exchange)
        exchange.fail(error)
        // Nobody may be left who could use what its dial would bring.
        if pool.dialling > pool.waiters.count { pool.dials.first { $0.exchange === exchange }?.cancel() }
    }

    // MARK: Connections

    private func dialIfNeeded(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        while pool.dialling + pool.permitsAsked < pool.waiters.count {
            guard endpoint.takePermit(for: index) else {
                pool.permitsAsked += 1
                askForPermit(endpoint)
                return
            }
            dial(endpoint)
        }
    }

    // All permits are out. Where a connection stands idle that this shard's waiters cannot use, it is closed for them.
    private func askForPermit(_ endpoint: Endpoint) {
        if let spare = endpoint.pools[index].idle.last {
            spare.close()
            return
        }
        for pool in endpoint.pools where pool !== endpoint.pools[index] && pool.hasIdle {
            pool.shard.loop.execute { pool.shard.spareIdle(endpoint) }
            return
        }
    }

    // Other shards close connections for those who stand in line, and so nobody stands there for nothing.
    private func leaveLine(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        while pool.permitsAsked > 0, pool.dialling + pool.permitsAsked > pool.waiters.count, endpoint.leaveLine(index) {
            pool.permitsAsked -= 1
        }
    }

    private func spareIdle(_ endpoint: Endpoint) {
        guard endpoint.othersWait(than: index) else { return }
        endpoint.pools[index].idle.last?.close()
    }

    /// A permit that this shard stood in line for is there.
    func permitGranted(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        pool.permitsAsked -= 1
        if pool.dialling < pool.waiters.count {
            dial(endpoint)
        } else {
            endpoint.returnPermit()
        }
        dialIfNeeded(endpoint)
    }

    private func dial(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        guard !pool.waiters.isEmpty else {
            endpoint.returnPermit()
            return
        }
        // Each dial is for a waiter of its own; whoever is first takes the connection that is first.
        let exchange = pool.waiters[min(pool.dialling, pool.waiters.count - 1)]
        let dial = Dial(for: exchange)
        pool.dials.append(dial)
        pool.dialPhase = .connect
        dialer.dial(dial, to: endpoint, on: self).whenComplete { result in
            pool.dials.removeAll { $0 === dial }
            if pool.dialling == 0 { pool.dialPhase = nil }
            switch result {
            case .success(let connection): self.opened(connection, for: exchange)
            case .failure(let error):
                endpoint.returnPermit()
                self.dialFailed(
                    endpoint, for: exchange,
                    SternaError.wrap(error, as: .connectionFailed, phase: .connect, "Cannot connect."))
            }
        }
    }

    private func dialFailed(_ endpoint: Endpoint, for exchange: Exchange, _ error: SternaError) {
        let pool = endpoint.pools[index]
        if let position = pool.waiters.firstIndex(where: { $0 === exchange }) {
            pool.waiters.remove(at: position)
            remove(exchange)
            exchange.fail(error)
        }
        dialIfNeeded(endpoint)
    }

    private func opened(_ connection: HTTP1Connection, for exchange: Exchange) {
        guard connection.establish() else {
            connection.endpoint.returnPermit()
            dialFailed(
                connection.endpoint, for: exchange,
                SternaError(.connectionFailed, phase: .connect, "The server closed the connection at once."))
            return
        }
        if let exchange = connection.endpoint.pools[index].waiters.popFirst() {
            connection.start(exchange)
        } else {
            keepIdle(connection)
        }
    }

    /// A connection has finished an exchange and may carry another.
    func release(_ connection: HTTP1Connection) {
        let endpoint = connection.endpoint
        let pool = endpoint.pools[index]
        if !connection.isUsable {
            // Its identity was replaced meanwhile: its permit opens another one for whoever waits.
            connection.close()
        } else if let waiting = pool.waiters.firstIndex(where: { !$0.needsFreshConnection }) {
            let exchange = pool.waiters.remove(at: waiting)
            leaveLine(endpoint)
            connection.start(exchange)
        } else if endpoint.othersWait(than: index) {
            // Another shard waits for a permit, and this connection is the one that can be spared.
            connection.close()
        } else {
            keepIdle(connection)
        }
    }

    private func keepIdle(_ connection: HTTP1Connection) {
        let pool = connection.endpoint.pools[index]
        if pool.idle.isEmpty, !idlePools.contains(where: { $0 === pool }) { idlePools.append(pool) }
        pool.idle.append(connection)
        pool.countIdle(1)
        tickNoLater(than: connection.lastActivity + idleTimeout)
    }

    /// A connection is gone.
    func closed(_ connection: HTTP1Connection) {
        let pool = connection.endpoint.pools[index]
        if let position = pool.idle.firstIndex(where: { $0 === connection }) {
            pool.idle.remove(at: position)
            pool.countIdle(-1)
        }
        connection.endpoint.returnPermit()
    }

    /// Closes the connections that nobody uses.
    func closeIdle() {
        for pool in idlePools { for connection in pool.idle { connection.close() } }
    }

    // MARK: Time

    private func add(_ exchange: Exchange) {
        exchange.activeIndex = active.count
        active.append(exchange)
    }

    /// Forgets a request that has ended.
    func remove(_ exchange: Exchange) {
        guard let position = exchange.activeIndex else { return }
        exchange.activeIndex = nil
        let last = active.removeLast()
        if last !== exchange {
            active[position] = last
            last.activeIndex = position
        }
    }

    /// Sees to it that limits are looked at by a moment. Most requests end long before the timer that is set already, so
    /// they cost a comparison.
    func tickNoLater(than moment: NIODeadline) {
        if let tick, tick.at <= moment { return }
        tick?.task.cancel()
        let task = loop.assumeIsolated().scheduleTask(deadline: moment) { self.lookAtLimits() }
        tick = (moment, task)
    }

    private func lookAtLimits() {
        tick = nil
        let now = loop.now
        var next = NIODeadline.distantFuture
        for exchange in active {
            let limit = exchange.timeLimit()
            if limit.at <= now, !limit.isTotal, exchange.phase == .writing, exchange.connection?.hasWrittenOn() == true
            {
                next = min(next, exchange.timeLimit().at)
            } else if limit.at <= now {
                abandon(exchange, exchange.timeoutError(isTotal: limit.isTotal))
            } else {
                next = min(next, limit.at)
            }
        }
        for pool in idlePools {
            for connection in pool.idle {
                let limit = connection.lastActivity + idleTimeout
                if limit <= now { connection.close() } else { next = min(next, limit) }
            }
        }
        idlePools.removeAll { $0.idle.isEmpty }
        if next < .distantFuture { tickNoLater(than: next) }
    }
}
