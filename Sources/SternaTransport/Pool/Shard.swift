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
    private var isBeginning = false

    @exclusivity(unchecked) private var replies = ReplyBatch()

    /// Fires when the next limit of a request or a connection is checked.
    @exclusivity(unchecked) private var limitTimer = EarliestTimer()
    let proxyConnections: ProxyConnections

    /// Succeeds when the last request and connection have ended, or the grace is over; nil until the engine is shut down.
    var drained: EventLoopPromise<Void>?
    var isShutDown: Bool { drained != nil }

    /// Whether no connection is kept for further requests.
    private var keepsNone: Bool { isShutDown || hasLostEngine }

    /// Whether the engine was released, so that no further request can arrive.
    private var hasLostEngine = false

    /// Fires at the end of the grace, when the work still under way is ended.
    private var graceTimer = EarliestTimer()

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
    private func hand(_ connection: HTTP1Connection) -> Bool {
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
    private func takeIn(_ exchange: Exchange) -> Bool {
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

    private func keepIdle(_ connection: HTTP1Connection) {
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

    private func failedAtOnce(_ dial: Dial) {
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

/// The shutdown of a shard, and its end, with its engine.
extension Shard {
    static let shutDown = SternaError(
        .shutDown, phase: .queue, "The engine was shut down. Make a new one, or use the shared one.")

    /// Stops taking requests. The promise succeeds when the requests under way have ended, by themselves or at the end of the
    /// grace. Of several calls, the one whose grace ends first counts.
    func shutDown(_ promise: EventLoopPromise<Void>, grace: TimeAmount) {
        loop.assertInEventLoop()
        endGrace(at: clock.now + grace)
        if let drained {
            drained.futureResult.cascade(to: promise)
            return
        }
        drained = promise
        closeIdle()
        proxyConnections.shutDown()
        for exchange in active.members where exchange.codec == nil { abandon(exchange, Self.shutDown) }
        for dial in dials.members { dial.cancel() }
        checkDrained()
    }

    /// Closes connections that are idle now, and others as soon as they become idle.
    func engineIsGone() {
        loop.assertInEventLoop()
        hasLostEngine = true
        closeIdle()
        proxyConnections.shutDown()
        if active.isEmpty { limitTimer.clear() }
    }

    private func endGrace(at moment: NIODeadline) {
        guard !graceTimer.isSet(by: moment) else { return }
        graceTimer.clear()
        graceTimer.set(clock.schedule(at: moment, on: loop) { self.abandonAll() }, at: moment)
    }

    /// Finishes the shutdown once all shards have ended and no more requests arrive. Ends requests and dials that remain because
    /// another shard has ended the grace.
    func graceIsOver() {
        loop.assertInEventLoop()
        if !active.isEmpty || !dials.isEmpty { abandonAll() }
        graceTimer.stop()
    }

    /// Ends the requests, dials and connections that are still under way.
    private func abandonAll() {
        grace.end()
        for exchange in active.members { abandon(exchange, Self.shutDown) }
        for dial in dials.members { dial.cancel() }
        for pool in idlePools { pool.abandonAll() }
        proxyConnections.abandonAll()
        // Remaining connections close in their own time.
        drained?.succeed(())
    }

    /// Completes the shutdown when nothing is left, but not before the end of this turn of the event loop. A connection may close
    /// before the response that it delivered is processed, and that response may lead to another request.
    func checkDrained() {
        loop.assertInEventLoop()
        guard isDrained else { return }
        loop.execute {
            guard self.isDrained else { return }
            self.proxyConnections.abandonAll()
            self.drained?.succeed(())
        }
    }

    private var isDrained: Bool {
        isShutDown && active.isEmpty && dials.isEmpty && counts.open == 0 && !grace.isHeld
    }
}

/// Connections that carry concurrent exchanges.
extension Shard {
    /// Adds a connection that a dial has opened, and starts waiting requests on it.
    func opened(_ connection: HTTP2Connection, by dial: Dial) {
        loop.assertInEventLoop()
        let endpoint = dial.endpoint
        let pool = endpoint.pools[index]
        guard connection.establish() else { return failedAtOnce(dial) }
        connection.opening = dial.timeline
        connection.tlsVersion = dial.timeline.tlsVersion
        // Its first stream takes the timeline, also if it has no metrics.
        if dial.timeline.tlsDetails != nil {
            connection.facts = ConnectionFacts(dial.timeline, connection.context?.channel)
        }
        endpoint.speaksHTTP2(on: index)
        endpoint.avoidsSharing.store(false, ordering: .relaxed)
        pool.streams.append(connection)
        list(pool)
        connection.isServing = true
        // Includes requests that need an unused connection: this one is unused.
        while connection.freeStreams > 0, connection.serves(endpoint),
            let exchange = endpoint.takeWaiter(for: self, isUsed: false)
        {
            if takeIn(exchange) { connection.start(exchange) }
        }
        connection.isServing = false
        if connection.isUnused, !connection.isClosing { becameIdle(connection) }
        // Only now, so that no other connection is opened meanwhile for requests that this one serves.
        endpoint.change { $0.opened(dial) }
        endpoint.arrange()
    }

    /// Starts waiting requests on free streams, after a stream has ended or the peer has changed the limit.
    func streamsChanged(on connection: HTTP2Connection, hasEnded: Bool = false) {
        loop.assertInEventLoop()
        guard !connection.isServing else { return }
        connection.isServing = true
        if hasEnded, mustYield(connection) { connection.state.retire() }
        for endpoint in connection.endpoints {
            if !hasEnded { holdChanged(endpoint) }
            // The connection may leave the endpoint while it is given an exchange.
            while endpoint.hasWaiters, connection.freeStreams > 0, connection.serves(endpoint),
                let exchange = endpoint.takeWaiter(for: self, isUsed: true, unless: { connection.takes($0) })
            {
                if takeIn(exchange) { connection.start(exchange) }
            }
            if endpoint.hasWaiters { endpoint.arrange() }
        }
        connection.isServing = false
        guard connection.isUnused, !connection.isClosing else { return }
        // At once: an orderly TLS close would hold the permit until the peer agrees, for up to half a second.
        if connection.isRetired, connection.usesWhileWaitedFor > 4 { return connection.abort() }
        becameIdle(connection)
    }

    /// Records whether a peer here takes no streams at the moment: more connections would not change that.
    func holdChanged(_ endpoint: Endpoint) {
        loop.assertInEventLoop()
        let pool = endpoint.pools[index]
        let isOnHold = pool.streams.contains(where: \.isOnHold)
        guard isOnHold != pool.isOnHold else { return }
        pool.isOnHold = isOnHold
        endpoint.holds.wrappingAdd(isOnHold ? 1 : -1, ordering: .relaxed)
    }

    // The connection takes only a few more requests once an endpoint without any connection waits for its permit.
    private func mustYield(_ connection: HTTP2Connection) -> Bool {
        guard connection.endpoint.permits.isNeedy else {
            connection.usesWhileWaitedFor = 0
            return false
        }
        connection.usesWhileWaitedFor += 1
        return connection.usesWhileWaitedFor > 4
    }

    private func becameIdle(_ connection: HTTP2Connection) {
        connection.hasStoodIdle = true
        if keepsNone { return connection.close() }
        let endpoint = connection.endpoint
        if endpoint.permits.isStarving || endpoint.lacksFreshConnection {
            endpoint.pools[index].closeOldest()
        } else {
            tickNoLater(than: connection.idleLimit)
        }
    }

    /// Removes a closed connection.
    func closed(_ connection: HTTP2Connection) {
        loop.assertInEventLoop()
        for endpoint in connection.endpoints {
            endpoint.pools[index].streams.removeAll { $0 === connection }
            holdChanged(endpoint)
        }
        counts.open -= 1
        connection.endpoint.lost(on: index)
        for endpoint in connection.endpoints { endpoint.arrange() }
        checkDrained()
    }

    /// Ends a dial that has found another origin's connection, and starts the waiting requests there.
    private func shares(_ connection: HTTP2Connection, by dial: Dial) {
        let endpoint = dial.endpoint
        connection.shard.loop.execute {
            let isThere = connection.serve(endpoint)
            endpoint.avoidsSharing.store(!isThere, ordering: .relaxed)
            endpoint.change { _ = $0.gaveUp(dial) }
            endpoint.lost(on: dial.shard.index)
            if isThere { connection.shard.streamsChanged(on: connection) }
            endpoint.arrange()
            self.loop.execute { self.checkDrained() }
        }
    }
}

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
