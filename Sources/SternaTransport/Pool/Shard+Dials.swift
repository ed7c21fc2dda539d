import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// Permits for connections, and the dials that are begun with them.
extension Shard {
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
        guard !grace.isOver, !pool.streams.contains(where: \.isOnHold) else { return }
        pool.state.maximumDials = dialLimit(of: endpoint)
        while pool.state.permitsWanted(at: now) > 0 {
            // For who stands in line an idle connection is closed, which a warm-up would only open again.
            let isForWarmUp = !hasRequest(in: pool, behind: pool.state.asked)
            let answer = endpoint.permits.take(endpoint, shard: index, waits: !isForWarmUp)
            if answer == .granted {
                dial(endpoint)
            } else if isForWarmUp {
                guard endWarmUps(endpoint) else { return }
            } else {
                pool.state.askedForPermit()
                return answer == .endpointIsFull ? askForPermit(endpoint) : askAll(for: endpoint)
            }
        }
        waitForBackoff(endpoint)
    }

    // Whether more requests without a dial are in line than permits are asked for: warm-ups stand in line for none.
    private func hasRequest(in pool: EndpointPool, behind asked: Int) -> Bool {
        var ahead = asked
        let next = pool.state.line.firstWithoutDial { waiter in
            if !waiter.isWarmUp { ahead -= 1 }
            return ahead < 0
        }
        return next != nil
    }

    // One at a time where one connection may be enough for all; unless the first takes so long that whoever waits for it would
    // have had one of its own by then.
    private func dialLimit(of endpoint: Endpoint) -> Int {
        guard endpoint.homeShard != nil else { return 16 }
        guard endpoint.http2 != .priorKnowledge, !endpoint.hasSpokenHTTP2.load(ordering: .relaxed) else { return 1 }
        let pool = endpoint.pools[index]
        guard pool.state.dialling > 0, pool.state.line.count > 1 else { return 1 }
        let limit = pool.firstDialBegan + firstDialPatience
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

    // As many connections are there as may be: who only wanted one to be there has got it.
    private func endWarmUps(_ endpoint: Endpoint) -> Bool {
        let pool = endpoint.pools[index]
        let ended = pool.state.takeAll { $0.isWarmUp && !$0.hasDial }
        for exchange in ended {
            remove(exchange)
            exchange.succeed(Response(status: .ok, url: exchange.request.url))
        }
        leaveLine(endpoint)
        return !ended.isEmpty
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
    func closeOldestIdle(of pool: EndpointPool) -> Bool {
        guard let connection = pool.state.takeOldestIdle() else {
            guard let unused = pool.streams.first(where: { $0.streams.isEmpty && $0.takesWrites }) else { return false }
            unused.abort()
            return true
        }
        pool.countIdle(-1)
        // At once: TLS closed in order would hold the permit for as long as the peer likes.
        connection.abort(evenIfClosing: true)
        return true
    }

    /// Whether somebody could open a connection with a permit of this endpoint.
    func isPermitWanted(_ endpoint: Endpoint) -> Bool {
        !endpoint.pools[index].state.line.isEmpty || endpoint.isWaitedFor || endpoint.permits.isStarving
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

    func dial(_ endpoint: Endpoint) {
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

    func remove(_ dial: Dial) {
        let last = dials.removeLast()
        if last !== dial {
            dials[dial.index] = last
            last.index = dial.index
        }
    }

    func failed(_ dial: Dial, _ error: SternaError) {
        let pool = dial.endpoint.pools[index]
        counts.failedDials += 1
        var losers = pool.state.dialFailed(
            for: dial.exchange, lastTicket: dial.lastTicket, began: dial.began,
            counts: !dial.isCancelled && Self.blamesServer(error, dial),
            holdsForAll: error.kind == .addressRefused, at: now)
        if error.kind == .timedOut { losers += outOfTime(with: dial, in: error.phase) }
        for exchange in losers { end(exchange, error) }
        disown(dial)
        leaveLine(dial.endpoint)
        dialIfNeeded(dial.endpoint)
        checkDrained()
    }

    // Who waited for a dial, having no more patience than it had, is out of time with it: unless there is another connection, or
    // about to be, that it may yet be given.
    private func outOfTime(with dial: Dial, in phase: SternaError.Phase) -> [Exchange] {
        let pool = dial.endpoint.pools[index]
        guard pool.streams.isEmpty, dial.endpoint.permits.counts(of: dial.endpoint).open == 0 else { return [] }
        return pool.state.takeAll { waiter in
            waiter.ticket <= dial.lastTicket && !waiter.hasDial
                && DialLimits(waiter).areNoLonger(than: dial.limits, in: phase)
        }
    }

    // Whoever asks next would fare no better. A certificate is judged anew each time, and who has little patience has
    // nobody to blame.
    private static func blamesServer(_ error: SternaError, _ dial: Dial) -> Bool {
        switch error.kind {
        case .connectionFailed, .hostNotFound, .tlsFailed, .proxyFailed: true
        case .timedOut: dial.limits.least >= .seconds(5)
        default: false
        }
    }

    func failedAtOnce(_ dial: Dial) {
        dial.endpoint.permits.give(dial.endpoint, shard: index)
        failed(dial, SternaError(.connectionFailed, phase: .connect, "The server closed the connection at once."))
    }

    func opened(_ connection: HTTP1Connection, by dial: Dial) {
        guard connection.establish() else { return failedAtOnce(dial) }
        connection.opening = dial.timeline
        connection.spokenTLSVersion = dial.timeline.tlsVersion
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
}
