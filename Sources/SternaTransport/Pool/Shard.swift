import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// The part of an engine that lives on one event loop: requests under way, connections, and one timer for all of them.
// Invariant: the stored `var`s are touched on `loop` only.
final class Shard: @unchecked Sendable {
    let index: Int
    let loop: any EventLoop
    let clock: NetworkClock
    let dialer: Dialer
    let executor: EventLoopExecutor
    let options: EngineOptions
    let idleTimeout: TimeAmount
    let firstDialPatience: TimeAmount
    let continueWait: TimeAmount
    var active: [Exchange] = []
    var idlePools: [EndpointPool] = []
    var tick: (at: NIODeadline, task: ClockTimer)?
    var counts = ShardCounts()
    var dials: [Dial] = []

    /// Whether a dial is being begun, so that one that fails at once does not begin the next within itself.
    var isBeginning = false

    /// Responses whose callers are woken at the end of this turn of the event loop.
    var replies: [Exchange.Reply] = []
    let proxyConnections = ProxyConnections()

    /// Fulfilled when the last connection is closed, once the engine is shut down.
    var drained: EventLoopPromise<Void>?

    /// When what is under way then is ended.
    var graceEnd: (at: NIODeadline, task: ClockTimer)?
    var isShutDown = false

    /// What keeps the engine's shards from ending between two attempts of a request.
    let grace: Grace

    init(index: Int, loop: any EventLoop, dialer: Dialer, options: EngineOptions, grace: Grace) {
        self.grace = grace
        self.index = index
        self.loop = loop
        self.dialer = dialer
        self.options = options
        clock = options.clock
        executor = EventLoopExecutor(loop)
        idleTimeout = TimeAmount(clamping: options.idleTimeout)
        firstDialPatience = TimeAmount(clamping: options.firstDialPatience)
        continueWait = TimeAmount(clamping: options.continueWait)
    }

    var now: Int64 { Int64(clamping: clock.now.uptimeNanoseconds) }

    // MARK: Requests

    /// Takes a request: on a connection that is free at once, else it waits in the endpoint's queue.
    func submit(_ exchange: Exchange) {
        loop.assertInEventLoop()
        let endpoint = exchange.endpoint
        let pool = endpoint.pools[index]
        let hasReservation = exchange.hasReservation
        exchange.hasReservation = false
        guard !exchange.isCancelled, !isShutDown || exchange.goesOnInGrace else {
            if hasReservation { giveBackReservation(endpoint) }
            return exchange.fail(exchange.isCancelled ? .cancelled(phase: .queue) : Self.shutDown)
        }
        if let home = endpoint.homeShard, home != index, !exchange.hasMoved, exchange.attempt == 1,
            let target = endpoint.shard(home)
        {
            if hasReservation { giveBackReservation(endpoint) }
            endpoint.change { _ in exchange.arrive(on: target) }
            return target.loop.execute { target.submit(exchange) }
        }
        // Those that wait come first; one that takes nothing used is ahead of them all.
        let isFirst = hasReservation || exchange.needsFreshConnection || !endpoint.hasWaitersForAny
        if isFirst, let connection = pool.streams.first(where: { $0.takes(exchange) }) {
            if hasReservation { giveBackReservation(endpoint) }
            add(exchange)
            return connection.start(exchange)
        }
        if exchange.needsFreshConnection {
            if hasReservation { giveBackReservation(endpoint) }
        } else if hasReservation || isFirst && pool.reserve(), let connection = pool.takeReserved() {
            add(exchange)
            return connection.start(exchange)
        }
        let isOnLoop = exchange.isOnLoop
        endpoint.wait(exchange)
        endpoint.arrange(prefersDial: isOnLoop && endpoint.homeShard == nil)
    }

    // What another one may have looked for meanwhile.
    private func giveBackReservation(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        pool.giveBackReservation()
        if endpoint.hasWaitersForAny {
            serveSoon(endpoint)
        } else if endpoint.permits.isStarving {
            closeOldestIdle(of: pool)
        }
    }

    /// A request's connection turned out to be closed before anything was sent: it waits again where it stood.
    func putBack(_ exchange: Exchange) {
        remove(exchange)
        let endpoint = exchange.endpoint
        endpoint.wait(exchange, isBack: true)
        serveSoon(endpoint)
    }

    /// Sends a request once more, on a connection that was never used.
    func resubmit(_ exchange: Exchange, because reason: AttemptMetrics.Reason) {
        if let recorder = exchange.recorder {
            if let failure = Self.failure(reason) {
                exchange.callSoon(recorder.failed(failure.at(exchange.request)))
            } else {
                recorder.ended()
            }
            let begun = recorder.recorder.attemptBegan(exchange.request, reason: reason)
            exchange.recorder = begun.attempt
            exchange.callSoon(begun.report)
        }
        exchange.attempt += 1
        exchange.call?.repeated()
        exchange.needsFreshConnection = true
        exchange.phase = .queued
        exchange.carrier = nil
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
        remove(exchange)
        exchange.fail(error)
    }

    // MARK: Connections

    /// A connection has finished an exchange and may carry another.
    func release(_ connection: HTTP1Connection) {
        loop.assertInEventLoop()
        let endpoint = connection.endpoint
        if !connection.isUsable || isShutDown {
            // Its time is over: its permit opens another one for what waits.
            if endpoint.isPermitWanted { connection.abort() } else { connection.close() }
        } else if mustYield(connection) || endpoint.lacksFreshConnection {
            // At once: TLS closed in order would hold the permit for as long as the peer likes.
            connection.abort()
        } else if !hand(connection) {
            keepIdle(connection)
        }
    }

    // Where another endpoint waits for its permit that has no connection at all, a busy one is that endpoint's after a few more
    // requests: not at once, since opening another one costs more than a request.
    private func mustYield(_ connection: HTTP1Connection) -> Bool {
        guard connection.endpoint.permits.isNeedy else {
            connection.usesWhileWaitedFor = 0
            return false
        }
        connection.usesWhileWaitedFor += 1
        return connection.usesWhileWaitedFor > 4
    }

    /// Gives a connection to the request that is first to get it; false where none waits.
    func hand(_ connection: HTTP1Connection) -> Bool {
        let endpoint = connection.endpoint
        // One that was opened for a warm-up is for others, not for the next warm-up.
        let isUsed = connection.exchangeCount > 0 || connection.hasStoodIdle
        while isUsed ? endpoint.hasWaitersForAny : endpoint.hasWaiters,
            let exchange = endpoint.next(on: self, isUsed: isUsed)
        {
            guard takeIn(exchange) else { continue }
            connection.start(exchange)
            return true
        }
        return false
    }

    /// Takes a request in that waited; false where its caller has been cancelled meanwhile.
    func takeIn(_ exchange: Exchange) -> Bool {
        guard !exchange.isCancelled else {
            exchange.fail(.cancelled(phase: .queue))
            return false
        }
        add(exchange)
        return true
    }

    /// Gives what is free here to requests that wait, in a moment.
    func serveSoon(_ endpoint: Endpoint) { loop.execute { self.serve(endpoint) } }

    private func serve(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        guard !pool.isServing else {
            pool.mustServeMore = true
            return
        }
        pool.isServing = true
        repeat {
            pool.mustServeMore = false
            for connection in pool.streams where connection.freeStreams > 0 { streamsChanged(on: connection) }
            while endpoint.hasWaitersForAny, pool.reserve(), let connection = pool.takeReserved() {
                if !hand(connection) { pool.keep(connection) }
            }
        } while pool.mustServeMore
        pool.isServing = false
        endpoint.arrange()
    }

    /// Has a pool's connections looked after.
    func list(_ pool: EndpointPool) {
        guard !pool.isListed else { return }
        pool.isListed = true
        idlePools.append(pool)
    }

    func keepIdle(_ connection: HTTP1Connection) {
        loop.assertInEventLoop()
        let endpoint = connection.endpoint
        let pool = endpoint.pools[index]
        list(pool)
        connection.hasStoodIdle = true
        pool.keep(connection)
        if isShutDown {
            closeOldestIdle(of: pool)
        } else if endpoint.hasWaitersForAny {
            serveSoon(endpoint)
        } else if endpoint.permits.isStarving || endpoint.lacksFreshConnection {
            closeOldestIdle(of: pool)
        } else {
            tickNoLater(than: connection.idleLimit)
        }
    }

    /// A connection is gone.
    func closed(_ connection: HTTP1Connection) {
        loop.assertInEventLoop()
        let endpoint = connection.endpoint
        endpoint.pools[index].lost(connection)
        counts.open -= 1
        endpoint.lost(on: index)
        endpoint.arrange()
        checkDrained()
    }

    /// Closes the connections that nobody uses.
    func closeIdle() {
        for pool in idlePools {
            for connection in pool.idle { connection.close() }
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
