import NIOCore
import SternaCore
import Synchronization

/// The queue of requests that wait for a connection.
extension Endpoint {
    // All event loops share one time.
    var clock: NIODeadline { pools[0].shard.clock.now }
    var now: Int64 { Int64(clamping: clock.uptimeNanoseconds) }

    /// Queues a request. From now on it belongs to the code that takes it out of the queue, not to its shard.
    ///
    /// - Parameter isBack: whether the request returns to its former place, since its connection turned out to be closed.
    func wait(_ exchange: Exchange, isBack: Bool = false) {
        let clock = clock
        if !isBack || exchange.queuedAt == .distantFuture { exchange.queuedAt = clock }
        let limit = exchange.waitingLimit(hasDial: false).at
        let check = Int64(clamping: limit.uptimeNanoseconds)
        let (refusal, mustSchedule): (SternaError?, Bool) = change { queue in
            if exchange.isCancelled { return (.cancelled(phase: .queue), false) }
            if grace.isShutDown, !exchange.goesOnInGrace { return (Shard.shutDown, false) }
            if grace.isShutDown { exchange.hold = grace.hold() }
            if isBack { queue.putBack(exchange) } else { queue.wait(exchange) }
            guard queue.nextCheck.map({ check < $0 }) ?? true else { return (nil, false) }
            queue.nextCheck = check
            return (nil, true)
        }
        if let refusal { return exchange.fail(refusal) }
        if mustSchedule { scheduleCheck(at: limit) }
    }

    /// Fails the newest requests beyond the limit of waiting requests. Further attempts and warm-ups are exempt.
    func refuseTooMany() {
        guard limitsWaiting else { return }
        let spare = pools.reduce(0) { $0 + $1.spareCount + $1.expectedCount }
        let now = now
        let (refused, limit): ([Exchange], Int) = change { queue in
            let refused = queue.takeTooMany(beyond: spare, at: now) { $0.attempt > 1 || $0.isWarmUp }
            for exchange in refused { exchange.leftQueue(with: nil) }
            return (refused, queue.maximumWaiting)
        }
        for exchange in refused { exchange.fail(Self.queueIsFull(limit)) }
    }

    private static func queueIsFull(_ limit: Int) -> SternaError {
        SternaError(
            .limitExceeded, phase: .queue,
            "\(limit) requests already wait for a connection to this origin, which is the limit. Send fewer at once, or raise "
                + "the limit of connections or of waiting requests.")
    }

    /// Takes out the first request that a connection on a shard can carry, and assigns it to that shard.
    ///
    /// - Parameters:
    ///   - isUsed: whether the connection was used before.
    ///   - isFreshEnough: returns whether the connection counts as unused for a request that needs an unused one.
    func takeWaiter(for shard: Shard, isUsed: Bool, unless isFreshEnough: (Exchange) -> Bool = { _ in false })
        -> Exchange?
    {
        let exchange: Exchange? = change { queue in
            guard let exchange = isUsed ? queue.popFirstForUsed(unless: isFreshEnough) : queue.popFirst() else {
                return nil
            }
            exchange.arrive(on: shard)
            return exchange
        }
        leavePermitQueue()
        return exchange
    }

    /// Fails a cancelled request that is queued. Otherwise returns its shard, which the request no longer leaves.
    func cancel(_ exchange: Exchange) -> Shard? {
        let (shard, needless): (Shard?, Dial?) = change { queue in
            guard exchange.ticket != 0 else { return (exchange.shard, nil) }
            let dial = queue.dial(of: exchange)
            exchange.leftQueue(with: dial)
            _ = queue.leave(exchange)
            return (nil, dial.flatMap { Self.takeNeedlessDial(leftBy: $0, &queue) })
        }
        if let shard { return shard }
        exchange.fail(.cancelled(phase: exchange.errorPhase))
        needless?.cancelSoon()
        arrange()
        return nil
    }

    private static func takeNeedlessDial(leftBy dial: Dial, _ queue: inout Queue) -> Dial? {
        queue.takeNeedlessDial(leftBy: dial) { DialLimits($0.request.timeouts) == dial.limits }
    }

    /// Fails the queued requests: the engine is shut down.
    ///
    /// - Parameter isOver: whether to fail also those that may continue during the grace.
    func endWaiting(isOver: Bool) {
        let ended = change { queue in
            let dials = queue.dials
            return queue.takeAll { exchange, position in
                guard isOver || !exchange.goesOnInGrace else { return false }
                exchange.leftQueue(with: position < dials.count ? dials[position].dial : nil)
                return true
            }
        }
        for exchange in ended { exchange.fail(Shard.shutDown) }
        leavePermitQueue()
    }

    // MARK: Time

    /// Runs work at a moment, on an event loop of the engine.
    func schedule(at moment: NIODeadline, _ work: @escaping @Sendable () -> Void) {
        let shard = pools[0].shard
        shard.clock.schedule(at: moment, on: shard.loop, work)
    }

    private func scheduleCheck(at moment: NIODeadline) {
        let shard = pools[0].shard
        checkTimer.withLock { timer in
            guard !timer.isSet(by: moment) else { return }
            timer.clear()
            let task = shard.clock.schedule(at: moment, on: shard.loop, outlastsLoop: true) { [weak self] in
                self?.checkTimer.withLock { $0.fired() }
                self?.checkWaiters()
            }
            timer.set(task, at: moment)
        }
    }

    /// Fails the requests that have waited too long, and schedules the next check.
    func checkWaiters() {
        let clock = clock
        var next = NIODeadline.distantFuture
        var checked = 0
        var needless: [Dial] = []
        let ended: [(Exchange, SternaError)] = change { queue in
            queue.nextCheck = nil
            let dials = queue.dials
            var errors: [SternaError] = []
            var left: [Dial] = []
            let ended = queue.takeAll { exchange, position in
                checked += 1
                let hasDial = position < dials.count
                let limit = exchange.waitingLimit(hasDial: hasDial)
                if limit.at > clock {
                    next = min(next, limit.at)
                    // A waiter ahead of it may take over its dial.
                    if hasDial { next = min(next, max(exchange.waitingLimit(hasDial: false).at, clock + .seconds(1))) }
                    return false
                }
                exchange.leftQueue(with: hasDial ? dials[position].dial : nil)
                errors.append(exchange.timeoutError(limit))
                if hasDial { left.append(dials[position].dial) }
                return true
            }
            needless = left.compactMap { Self.takeNeedlessDial(leftBy: $0, &queue) }
            if next < .distantFuture {
                let distance = LimitCheckSchedule.distance(for: checked)
                if distance > 0 { next = max(next, clock + .nanoseconds(distance)) }
                queue.nextCheck = Int64(clamping: next.uptimeNanoseconds)
            }
            return Array(zip(ended, errors))
        }
        pools[0].shard.note(checked: checked)
        if next < .distantFuture { scheduleCheck(at: next) }
        guard !ended.isEmpty else { return }
        for (exchange, error) in ended { exchange.fail(error) }
        for dial in needless { dial.cancelSoon() }
        arrange()
    }
}
