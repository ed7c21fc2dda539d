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
    var active: [Exchange] = []
    var idlePools: [EndpointPool] = []
    var tick: (at: NIODeadline, task: Scheduled<Void>)?
    var counts = ShardCounts()
    var dials: [Dial] = []

    /// Fulfilled when the last connection is closed, once the engine is shut down.
    var drained: EventLoopPromise<Void>?
    var isShutDown = false

    init(index: Int, loop: any EventLoop, dialer: Dialer, options: EngineOptions) {
        self.index = index
        self.loop = loop
        self.dialer = dialer
        self.options = options
        executor = EventLoopExecutor(loop)
        idleTimeout = TimeAmount(clamping: options.idleTimeout)
    }

    var now: Int64 { Int64(clamping: loop.now.uptimeNanoseconds) }

    // MARK: Requests

    /// Takes a request: on an idle connection at once, else when one is free or opened.
    func submit(_ exchange: Exchange) {
        exchange.isSubmitted = true
        let pool = exchange.endpoint.pools[index]
        guard !exchange.isCancelled, !isShutDown else {
            if exchange.hasReservation, exchange.attempt == 1 {
                pool.countIdle(1)
                spareIdle(of: exchange.endpoint)
            }
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
        add(exchange)
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
            recorder.ended()
            exchange.recorder = recorder.recorder.attemptBegan(exchange.request, reason: reason)
        }
        exchange.attempt += 1
        exchange.needsFreshConnection = true
        exchange.phase = .queued
        exchange.carrier = nil
        exchange.dial = nil
        remove(exchange)
        submit(exchange)
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

    private func end(_ exchange: Exchange, _ error: SternaError) {
        remove(exchange)
        exchange.fail(error)
        exchange.dial = nil
    }

    // A dial whose exchange needs it no more is for another one that has none; whether there is one.
    @discardableResult
    func handOn(_ dial: Dial) -> Bool {
        guard let heir = dial.endpoint.pools[index].state.line.firstWithoutDial else { return false }
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

    // MARK: Permits

    func dialIfNeeded(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        pool.mustBeginMore = true
        guard !pool.isBeginning else { return }
        pool.isBeginning = true
        defer { pool.isBeginning = false }
        while pool.mustBeginMore {
            pool.mustBeginMore = false
            beginDials(endpoint)
        }
    }

    private func beginDials(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        guard !isShutDown, !pool.streams.contains(where: \.isOnHold) else { return }
        pool.state.maximumDials = dialLimit(of: endpoint)
        while pool.state.permitsWanted(at: now) > 0 {
            switch endpoint.permits.take(endpoint, shard: index) {
            case .granted: dial(endpoint)
            case .endpointIsFull:
                pool.state.askedForPermit()
                if endWarmUps(endpoint) { continue }
                return askForPermit(endpoint)
            case .allAreOpen:
                pool.state.askedForPermit()
                if endWarmUps(endpoint) { continue }
                return askAll(for: endpoint)
            }
        }
        waitForBackoff(endpoint)
    }

    // One at a time where one connection may be enough for all; unless the first takes so long that whoever waits for it would
    // have had one of its own by then.
    private func dialLimit(of endpoint: Endpoint) -> Int {
        guard endpoint.homeShard != nil else { return 16 }
        guard !endpoint.hasSpokenHTTP2.load(ordering: .relaxed) else { return 1 }
        let pool = endpoint.pools[index]
        guard pool.state.dialling > 0, pool.state.line.count > 1 else { return 1 }
        let limit = pool.firstDialBegan + Self.patience
        if loop.now >= limit { return 16 }
        if !pool.isImpatient {
            pool.isImpatient = true
            loop.assumeIsolated().scheduleTask(deadline: limit) {
                pool.isImpatient = false
                self.dialIfNeeded(endpoint)
            }
        }
        return 1
    }

    static let patience = TimeAmount.milliseconds(300)

    // As many connections are there as may be: who only wanted one to be there has got it.
    private func endWarmUps(_ endpoint: Endpoint) -> Bool {
        let pool = endpoint.pools[index]
        var hasEnded = false
        while let exchange = pool.state.line.firstWithoutDial, exchange.isWarmUp, pool.state.leave(exchange) {
            remove(exchange)
            exchange.succeed(Response(status: .ok, url: exchange.request.url))
            hasEnded = true
        }
        leaveLine(endpoint)
        return hasEnded
    }

    // Where only a pause keeps dials back, they begin when it is over.
    private func waitForBackoff(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        let state = pool.state
        guard pool.pause == nil, !state.line.isEmpty, state.dialling == 0, state.asked == 0 else { return }
        let moment = NIODeadline.uptimeNanoseconds(UInt64(max(0, state.backoff.notBefore)))
        endpoint.pauses.wrappingAdd(1, ordering: .relaxed)
        pool.pause = loop.assumeIsolated().scheduleTask(deadline: moment) {
            pool.pause = nil
            endpoint.pauses.wrappingSubtract(1, ordering: .relaxed)
            self.dialIfNeeded(endpoint)
        }
    }

    // All permits of the endpoint are out. Where a connection stands idle that this shard's waiters cannot use, it is closed
    // for them.
    private func askForPermit(_ endpoint: Endpoint, turn: Int = 0) {
        guard endpoint.isWaitedFor, turn < endpoint.pools.count else { return }
        if closeOldestIdle(of: endpoint.pools[index]) { return }
        let next = endpoint.pools[(index + 1) % endpoint.pools.count].shard
        next.loop.execute { next.askForPermit(endpoint, turn: turn + 1) }
    }

    // As many connections are open as may be at all. An idle one of any endpoint is closed, by this shard or by one after the
    // other of the rest.
    private func askAll(for endpoint: Endpoint, turn: Int = 0) {
        guard endpoint.permits.isStarving, turn < endpoint.pools.count else { return }
        for pool in idlePools where closeOldestIdle(of: pool) { return }
        let next = endpoint.pools[(index + 1) % endpoint.pools.count].shard
        next.loop.execute { next.askAll(for: endpoint, turn: turn + 1) }
    }

    // Other shards close connections for those who stand in line, and so nobody stands there for nothing.
    func leaveLine(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        while pool.state.permitsUnwanted > 0, endpoint.permits.leaveLine(endpoint, shard: index) {
            pool.state.leftLine()
        }
    }

    // Whoever waits looks for idle connections after it has gone into its line, and so one of both sees the other. This
    // shard's own waiters are among them where they take nothing that was used.
    @discardableResult
    func spareIdle(of endpoint: Endpoint) -> Bool {
        guard endpoint.isWaitedFor || endpoint.permits.isStarving else { return false }
        return closeOldestIdle(of: endpoint.pools[index])
    }

    @discardableResult
    private func closeOldestIdle(of pool: EndpointPool) -> Bool {
        guard let connection = pool.state.takeOldestIdle() else {
            guard let unused = pool.streams.first(where: { $0.streams.isEmpty && $0.takesWrites }) else { return false }
            unused.abort()
            return true
        }
        pool.countIdle(-1)
        // At once: TLS closed in order would hold the permit for as long as the peer likes.
        connection.abort()
        return true
    }

    /// A permit that this shard stood in line for is there.
    func permitGranted(_ endpoint: Endpoint) {
        if endpoint.pools[index].state.permitGranted(at: now) {
            dial(endpoint)
        } else {
            endpoint.permits.give(endpoint, shard: index)
        }
        dialIfNeeded(endpoint)
    }

    // MARK: Dials

    private func dial(_ endpoint: Endpoint) {
        let pool = endpoint.pools[index]
        guard let exchange = pool.state.beginDial() else {
            endpoint.permits.give(endpoint, shard: index)
            return
        }
        let dial = Dial(for: exchange, to: endpoint, on: self, lastTicket: pool.state.line.lastTicket)
        if pool.state.dialling == 1 { pool.firstDialBegan = loop.now }
        exchange.dial = dial
        dial.index = dials.count
        dials.append(dial)
        counts.dials += 1
        dialer.open(dial).whenComplete { result in
            self.remove(dial)
            dial.end()
            switch result {
            case .success(.http1(let connection)): self.opened(connection, by: dial)
            case .success(.http2(let connection)): self.opened(connection, by: dial)
            case .success(.shared(let connection)): self.shares(connection, by: dial)
            case .failure(let error):
                endpoint.permits.give(endpoint, shard: self.index)
                self.failed(
                    dial, SternaError.wrap(error, as: .connectionFailed, phase: .connect, "Cannot connect."))
            }
        }
    }

    private func remove(_ dial: Dial) {
        let last = dials.removeLast()
        if last !== dial {
            dials[dial.index] = last
            last.index = dial.index
        }
    }

    private func failed(_ dial: Dial, _ error: SternaError) {
        let pool = dial.endpoint.pools[index]
        counts.failedDials += 1
        let losers = pool.state.dialFailed(
            for: dial.exchange, lastTicket: dial.lastTicket, began: dial.began, counts: Self.blamesServer(error, dial),
            holdsForAll: error.kind == .addressRefused, at: now)
        for exchange in losers { end(exchange, error) }
        disown(dial)
        leaveLine(dial.endpoint)
        dialIfNeeded(dial.endpoint)
        checkDrained()
    }

    // Whoever asks next would fare no better. A certificate is judged anew each time, and who has little patience has
    // nobody to blame.
    private static func blamesServer(_ error: SternaError, _ dial: Dial) -> Bool {
        let limits = dial.exchange.request.timeouts.amounts
        return switch error.kind {
        case .connectionFailed, .hostNotFound, .tlsFailed, .proxyFailed: true
        case .timedOut:
            min(min(limits.resolve, limits.connect), min(limits.proxy, limits.tls)) >= .seconds(5)
        default: false
        }
    }

    func failedAtOnce(_ dial: Dial) {
        dial.endpoint.permits.give(dial.endpoint, shard: index)
        failed(dial, SternaError(.connectionFailed, phase: .connect, "The server closed the connection at once."))
    }

    private func opened(_ connection: HTTP1Connection, by dial: Dial) {
        guard connection.establish() else { return failedAtOnce(dial) }
        connection.opening = dial.timeline
        dial.endpoint.speaksHTTP1()
        let exchange = dial.endpoint.pools[index].state.opened()
        disown(dial)
        if let exchange {
            give(connection, to: exchange)
        } else {
            keepIdle(connection)
        }
        dialIfNeeded(dial.endpoint)
    }

    // MARK: Connections

    /// A connection has finished an exchange and may carry another.
    func release(_ connection: HTTP1Connection) {
        let endpoint = connection.endpoint
        let pool = endpoint.pools[index]
        if !connection.isUsable || isShutDown {
            // Its time is over: its permit opens another one for whoever waits.
            connection.close()
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

    private func keepIdle(_ connection: HTTP1Connection) {
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
}
