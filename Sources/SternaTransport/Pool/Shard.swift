import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// The part of an engine that lives on one event loop: requests under way, connections, and one timer for all of them.
// Invariant: the stored `var`s are touched on `loop` only.
final class Shard: @unchecked Sendable {
    let index: Int
    let loop: any EventLoop
    let dialer: Dialer
    let executor: EventLoopExecutor
    let options: EngineOptions
    let idleTimeout: TimeAmount
    let firstDialPatience: TimeAmount
    let continueWait: TimeAmount
    var active: [Exchange] = []
    var idlePools: [EndpointPool] = []
    var tick: (at: NIODeadline, task: Scheduled<Void>)?
    var counts = ShardCounts()
    var dials: [Dial] = []

    /// Responses whose callers are woken at the end of this turn of the event loop.
    var replies: [Exchange.Reply] = []
    let proxyConnections = ProxyConnections()

    /// Fulfilled when the last connection is closed, once the engine is shut down.
    var drained: EventLoopPromise<Void>?

    /// When what is under way then is ended.
    var graceEnd: (at: NIODeadline, task: Scheduled<Void>)?
    var isShutDown = false

    /// What keeps the engine's shards from ending between two attempts of a request.
    let grace: Grace

    init(index: Int, loop: any EventLoop, dialer: Dialer, options: EngineOptions, grace: Grace) {
        self.grace = grace
        self.index = index
        self.loop = loop
        self.dialer = dialer
        self.options = options
        executor = EventLoopExecutor(loop)
        idleTimeout = TimeAmount(clamping: options.idleTimeout)
        firstDialPatience = TimeAmount(clamping: options.firstDialPatience)
        continueWait = TimeAmount(clamping: options.continueWait)
    }

    var now: Int64 { Int64(clamping: loop.now.uptimeNanoseconds) }

    // MARK: Requests

    /// Takes a request: on an idle connection at once, else when one is free or opened.
    func submit(_ exchange: Exchange) {
        exchange.isSubmitted = true
        let pool = exchange.endpoint.pools[index]
        guard !exchange.isCancelled, !isShutDown || goesOnInGrace(exchange) else {
            if exchange.hasReservation, exchange.attempt == 1 {
                pool.countIdle(1)
                spareIdle(of: exchange.endpoint)
            }
            remove(exchange)
            exchange.fail(isShutDown ? Self.shutDown : .cancelled(phase: .queue))
            return
        }
        if let home = exchange.endpoint.homeShard, home != index, !exchange.hasMoved, exchange.attempt == 1,
            let target = exchange.endpoint.shard(home)
        {
            if exchange.hasReservation { pool.countIdle(1) }
            exchange.hasReservation = false
            exchange.isSubmitted = false
            return exchange.move(to: target)
        }
        if exchange.activeIndex == nil { add(exchange) }
        if !pool.streams.isEmpty, startOnStream(exchange) {
            if exchange.hasReservation, exchange.attempt == 1 {
                pool.countIdle(1)
                spareIdle(of: exchange.endpoint)
            }
            return
        }
        while !exchange.needsFreshConnection, let connection = pool.state.takeIdle() {
            if connection.isUsable {
                if !exchange.hasReservation || exchange.attempt > 1 { pool.countIdle(-1) }
                connection.start(exchange)
                return
            }
            pool.countIdle(-1)
            connection.close()
        }
        if exchange.hasReservation, exchange.attempt == 1 { pool.countIdle(1) }
        exchange.queuedAt = loop.now
        pool.state.wait(exchange)
        tickNoLater(than: exchange.timeLimit().at)
        dialIfNeeded(exchange.endpoint)
    }

    /// Sends a request once more, on a connection that was never used.
    func resubmit(_ exchange: Exchange, because reason: AttemptMetrics.Reason) {
        if let recorder = exchange.recorder {
            if let failure = Self.failure(reason) {
                recorder.failed(failure.at(exchange.request))
            } else {
                recorder.ended()
            }
            exchange.recorder = recorder.recorder.attemptBegan(exchange.request, reason: reason)
        }
        exchange.attempt += 1
        exchange.needsFreshConnection = true
        exchange.phase = .queued
        exchange.carrier = nil
        exchange.dial = nil
        submit(exchange)
    }

    // What went wrong with an attempt that another one takes the place of; nil where it had an answer.
    private static func failure(_ reason: AttemptMetrics.Reason) -> SternaError? {
        switch reason {
        case .staleConnection:
            SternaError(.connectionClosed, phase: .wait, "The server had closed the connection that was to be reused.")
        case .refused:
            SternaError(.connectionClosed, phase: .wait, "The server did not take the request on that connection.")
        default: nil
        }
    }

    /// Ends a request before its response is complete: cancelled, or out of time.
    func abandon(_ exchange: Exchange, _ error: SternaError) {
        if let carrier = exchange.carrier {
            carrier.fail(error)
            return
        }
        let pool = exchange.endpoint.pools[index]
        _ = pool.state.leave(exchange)
        leaveLine(exchange.endpoint)
        let dial = exchange.dial
        end(exchange, error)
        // Nobody may be left who could use what it would bring.
        if let dial, !handOn(dial) { dial.cancel() }
    }

    func end(_ exchange: Exchange, _ error: SternaError) {
        remove(exchange)
        exchange.fail(error)
        exchange.dial = nil
    }

    // A dial whose exchange needs it no more is for another one that has none, and the same time-outs, which the dial keeps as
    // they were when it began; whether there is one.
    @discardableResult
    func handOn(_ dial: Dial) -> Bool {
        let limits = dial.limits
        guard let heir = dial.endpoint.pools[index].state.line.firstWithoutDial(where: { limits == DialLimits($0) })
        else {
            return false
        }
        dial.exchange = heir
        heir.dial = dial
        return true
    }

    // Gives a connection to an exchange that waited, whose own dial, if there is one, is then for others: they may come yet,
    // and so it goes on.
    func give(_ connection: HTTP1Connection, to exchange: Exchange) {
        leaveLine(connection.endpoint)
        let own = exchange.dial
        connection.start(exchange)
        if let own { handOn(own) }
    }

    // A dial has come to its end without a connection for its exchange, which waits in the queue again.
    func disown(_ dial: Dial) {
        guard dial.exchange.dial === dial else { return }
        dial.exchange.dial = nil
        if dial.exchange.activeIndex != nil { tickNoLater(than: dial.exchange.timeLimit().at) }
    }

    // MARK: Connections

    /// A connection has finished an exchange and may carry another.
    func release(_ connection: HTTP1Connection) {
        let endpoint = connection.endpoint
        let pool = endpoint.pools[index]
        if !connection.isUsable || isShutDown {
            // Its time is over: its permit opens another one for whoever waits.
            if isPermitWanted(endpoint) { connection.abort() } else { connection.close() }
        } else if mustYield(connection) {
            // At once: TLS closed in order would hold the permit for as long as the peer likes.
            connection.abort()
        } else if !pool.state.line.isEmpty, let exchange = pool.state.released() {
            give(connection, to: exchange)
        } else {
            keepIdle(connection)
        }
    }

    // Where others wait for its permit who have no connection at all, a busy one is theirs after a few more requests: not at
    // once, since opening another one costs more than a request.
    private func mustYield(_ connection: HTTP1Connection) -> Bool {
        let endpoint = connection.endpoint
        guard endpoint.permits.isNeedy || endpoint.isNeeded.load(ordering: .relaxed) else {
            connection.usesWhileWaitedFor = 0
            return false
        }
        connection.usesWhileWaitedFor += 1
        return connection.usesWhileWaitedFor > 4
    }

    /// Has a pool's connections looked after.
    func list(_ pool: EndpointPool) {
        guard !pool.isListed else { return }
        pool.isListed = true
        idlePools.append(pool)
    }

    func keepIdle(_ connection: HTTP1Connection) {
        let endpoint = connection.endpoint
        let pool = endpoint.pools[index]
        list(pool)
        connection.hasStoodIdle = true
        pool.state.keep(connection)
        pool.countIdle(1)
        if isShutDown {
            closeOldestIdle(of: pool)
        } else if !spareIdle(of: endpoint) {
            tickNoLater(than: connection.idleLimit)
        }
    }

    /// A connection is gone.
    func closed(_ connection: HTTP1Connection) {
        let pool = connection.endpoint.pools[index]
        if pool.state.lost(connection) { pool.countIdle(-1) }
        counts.open -= 1
        connection.endpoint.permits.give(connection.endpoint, shard: index)
        checkDrained()
    }

    /// Closes the connections that nobody uses.
    func closeIdle() {
        for pool in idlePools {
            for connection in pool.state.idle { connection.close() }
            for connection in pool.streams where connection.streams.isEmpty { connection.close() }
        }
    }
}

/// What a shard has counted.
struct ShardCounts {
    var dials = 0
    var failedDials = 0
    var requests = 0
    var reuses = 0
    var open = 0

    /// How often the limits of a request or a connection were looked at.
    var looked = 0
}
