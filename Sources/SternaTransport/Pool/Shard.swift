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
    // Invariant of all properties with this mark: accesses never overlap, since the methods of their values run no closure and no other
    // code of the pool. A loop goes over a copy of the list, a batch is taken out before it is sent, and a timer fires in a later turn of
    // the event loop.
    @exclusivity(unchecked) var active = MemberList<Exchange>()
    var idlePools: [EndpointPool] = []
    @exclusivity(unchecked) var counts = ShardCounts()
    var dials = MemberList<Dial>()

    /// Whether a dial is being begun. Prevents a dial that fails at once from beginning the next one re-entrantly.
    var isBeginning = false

    @exclusivity(unchecked) private var replies = ReplyBatch()

    /// Fires when the next limit of a request or a connection is checked.
    @exclusivity(unchecked) var limitTimer = EarliestTimer()
    let proxyConnections: ProxyConnections

    /// Succeeds when the last request and connection have ended, or the grace is over; nil until the engine is shut down.
    var drained: EventLoopPromise<Void>?
    var isShutDown: Bool { drained != nil }

    /// Whether no connection is kept for further requests.
    var keepsNone: Bool { isShutDown || hasLostEngine }

    /// Whether the engine was released, so that no further request can arrive.
    var hasLostEngine = false

    /// Fires at the end of the grace, when the work still under way is ended.
    var graceTimer = EarliestTimer()

    /// Keeps the engine's shards from ending between two attempts of a request.
    let grace: ShutdownGrace

    init(index: Int, loop: any EventLoop, dialer: Dialer, options: EngineOptions, grace: ShutdownGrace) {
        self.grace = grace
        self.index = index
        self.loop = loop
        self.dialer = dialer
        self.options = options
        clock = options.clock
        proxyConnections = ProxyConnections(on: loop)
        executor = EventLoopExecutor(loop)
        idleTimeout = TimeAmount(clamping: options.idleTimeout)
        firstDialPatience = TimeAmount(clamping: options.firstDialPatience)
        continueWait = TimeAmount(clamping: options.continueWait)
    }

    var now: Int64 { Int64(clamping: clock.now.uptimeNanoseconds) }

    // MARK: Requests

    /// Starts a request on a free connection, or queues it at its endpoint.
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
        // Waiting requests come first, but a request that needs an unused connection goes ahead of them all.
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

    // Another request may have looked for the reserved connection meanwhile.
    private func giveBackReservation(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        pool.giveBackReservation()
        if endpoint.hasWaitersForAny {
            serveSoon(endpoint)
        } else if endpoint.permits.isStarving {
            pool.closeOldest()
        }
    }

    /// Queues a request at its former place, since its connection was closed before anything was sent.
    func putBack(_ exchange: Exchange) {
        remove(exchange)
        let endpoint = exchange.endpoint
        endpoint.wait(exchange, isBack: true)
        serveSoon(endpoint)
    }

    /// Sends a request again, on an unused connection.
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
        exchange.call?.repeated()
        exchange.needsFreshConnection = true
        exchange.phase = .queued
        exchange.codec = nil
        submit(exchange)
    }

    // The error of an attempt that another one replaces; nil if it had a response.
    private static func failure(_ reason: AttemptMetrics.Reason) -> SternaError? {
        switch reason {
        case .staleConnection:
            SternaError(
                .connectionClosed, phase: .wait,
                "The connection could not be reused: the server had closed it, or sent content after a response to HEAD."
            )
        case .refused:
            SternaError(.connectionClosed, phase: .wait, "The server did not process the request on that connection.")
        default: nil
        }
    }

    /// Ends a request before its response is complete, after a cancellation or a time-out.
    func abandon(_ exchange: Exchange, _ error: SternaError) {
        loop.assertInEventLoop()
        if let codec = exchange.codec {
            codec.fail(error)
            return
        }
        remove(exchange)
        exchange.fail(error)
    }

    /// Delivers a response to its caller, together with the other responses of this turn of the event loop.
    func reply(to exchange: Exchange, _ response: consuming Response) {
        loop.assertInEventLoop()
        guard !exchange.isOnLoop, !active.isEmpty || !replies.isEmpty else { return exchange.succeed(response) }
        guard let reply = exchange.reply(response), replies.add(reply) else { return }
        loop.execute { self.replies.takeAll().send() }
    }

    // MARK: Connections

    /// Reuses or closes a connection that has finished an exchange.
    func release(_ connection: HTTP1Connection) {
        loop.assertInEventLoop()
        let endpoint = connection.endpoint
        if !connection.isUsable || keepsNone {
            // The connection has reached its limits: its permit opens another one for waiters.
            if endpoint.isPermitWanted { connection.abort() } else { connection.close() }
        } else if mustYield(connection) || endpoint.lacksFreshConnection {
            // At once: an orderly TLS close would hold the permit until the peer agrees, for up to half a second.
            connection.abort()
        } else if !hand(connection) {
            keepIdle(connection)
        }
    }

    // Gives a busy connection up after a few more requests, once an endpoint without any connection waits for its permit. Not
    // at once, since a new connection costs more than a request.
    private func mustYield(_ connection: HTTP1Connection) -> Bool {
        guard connection.endpoint.permits.isNeedy else {
            connection.usesWhileWaitedFor = 0
            return false
        }
        connection.usesWhileWaitedFor += 1
        return connection.usesWhileWaitedFor > 4
    }

    /// Assigns a connection to the first compatible waiter. Returns false if none waits.
    func hand(_ connection: HTTP1Connection) -> Bool {
        let endpoint = connection.endpoint
        // A connection that was opened for a warm-up serves requests, not the next warm-up.
        let isUsed = connection.exchangeCount > 0 || connection.hasStoodIdle
        while isUsed ? endpoint.hasWaitersForAny : endpoint.hasWaiters,
            let exchange = endpoint.takeWaiter(for: self, isUsed: isUsed)
        {
            guard takeIn(exchange) else { continue }
            connection.start(exchange)
            return true
        }
        return false
    }

    /// Takes a request over from the queue. Returns false if its caller was cancelled meanwhile.
    func takeIn(_ exchange: Exchange) -> Bool {
        guard !exchange.isCancelled else {
            exchange.fail(.cancelled(phase: .queue))
            return false
        }
        add(exchange)
        return true
    }

    /// Assigns this shard's free connections to waiting requests, in a later task of the event loop.
    func serveSoon(_ endpoint: Endpoint) { loop.execute { self.serve(endpoint) } }

    private func serve(_ endpoint: Endpoint) {
        loop.assertInEventLoop()
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

    /// Adds a pool to those whose connections are checked.
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
        if keepsNone {
            pool.closeOldest()
        } else if endpoint.hasWaitersForAny {
            serveSoon(endpoint)
        } else if endpoint.permits.isStarving || endpoint.lacksFreshConnection {
            pool.closeOldest()
        } else {
            tickNoLater(than: connection.idleLimit)
        }
    }

    /// Removes a closed connection.
    func closed(_ connection: HTTP1Connection) {
        loop.assertInEventLoop()
        let endpoint = connection.endpoint
        endpoint.pools[index].lost(connection)
        counts.open -= 1
        endpoint.lost(on: index)
        endpoint.arrange()
        checkDrained()
    }

    /// Closes the idle connections.
    func closeIdle() {
        loop.assertInEventLoop()
        for pool in idlePools { pool.closeIdle() }
    }
}

/// The counters of a shard.
struct ShardCounts {
    var dials = 0
    var failedDials = 0
    var requests = 0
    var reuses = 0
    var open = 0

    /// How often the limits of a request or a connection were checked.
    var checked = 0
}
