import HTTPTypes
import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// A destination whose connections are interchangeable: an origin by one route under one trust configuration.
final class Endpoint: Sendable {
    let id: Int
    let origin: Origin
    let host: String
    let hostIsAddress: Bool
    let policy: SecurityPolicy
    let route: Route

    /// When HTTP/2 is used; never if a proxy forwards requests.
    let http2: HTTP2Mode

    /// Whether the connections switch protocols (``SternaCore/Request/Delivery/duplex``).
    let isForSwitching: Bool
    let dialPolicy: DialPolicy

    /// The trust policy for a TLS proxy.
    let proxyPolicy: SecurityPolicy

    /// Properties of the policy that each request needs, computed once.
    let isRefused: Bool
    let rotatingIdentity: RotatingIdentity?

    /// Set where a proxy forwards requests, with the credentials for it.
    let forwarding: Forwarding?

    /// Answers the challenges of the route's proxy; nil for a proxy without credentials and without an authenticator.
    let proxyAuthentication: ProxyAuthentication?

    /// Whether another URL of the origin may have another route.
    let isChosenForEachURL: Bool

    /// The key of proxy connections that may carry several tunnels; nil where each tunnel has a connection of its own.
    let tunnelKey: ProxyConnections.Key?
    let tunnelShards: TunnelShards
    let pools: [EndpointPool]
    let maximumConnections: Int
    let permits: Permits

    /// Whether the number of waiting requests is limited.
    private let limitsWaiting: Bool

    let grace: ShutdownGrace

    /// The waiters and their dials. The lock is held briefly, and never while the endpoint asks for permits.
    private let queue: Mutex<Queue>

    /// The timer of the waiting requests' limits, which is stopped when the endpoint is released. Limits may be days away, and a
    /// timer that is left behind would slow down all other timers of its event loop.
    private let checkTimer = Mutex(EarliestTimer())

    /// The number of waiting requests, and of those among them that accept a used connection. Requests that need not wait read
    /// both without the lock.
    private let waiting = Atomic<Int>(0)
    private let waitingForAny = Atomic<Int>(0)
    private let lacksFresh = Atomic<Bool>(false)

    /// The shard that all requests go to, since a connection there serves all event loops, or may turn out to. Negative if each
    /// shard has connections of its own.
    private let home: Atomic<Int>

    /// Whether the server has asked for HTTP/1.1.
    let requiresHTTP1 = Atomic<Bool>(false)

    /// The server's limit of streams, as far as it has announced one.
    let knownStreams = Atomic<Int>(PeerSettings.assumedStreams)

    /// Whether the server has ever chosen HTTP/2.
    private let hasSpokenHTTP2 = Atomic<Bool>(false)

    /// Whether connections of other origins have turned out not to serve this one.
    let refusesSharing = Atomic<Bool>(false)

    /// Whether a connection of another origin was full, so that the endpoint opens one of its own.
    let avoidsSharing = Atomic<Bool>(false)

    /// What the origin has sent after its responses to HEAD over HTTP/1.
    let headConduct = Mutex(HeadConduct())

    /// The number of shards with a peer that takes no streams at the moment.
    let holds = Atomic<Int>(0)

    /// Whether paused calls are being asked for their connections: 0 if not, 1 if so, 2 if they are to be asked once more.
    private let askingPausedCalls = Atomic<Int>(0)

    /// Begins to ask paused calls; returns false if they are being asked, and will be once more.
    private func beginAskingPausedCalls() -> Bool {
        while true {
            if askingPausedCalls.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged { return true }
            let (wasOnce, state) = askingPausedCalls.compareExchange(expected: 1, desired: 2, ordering: .relaxed)
            if wasOnce || state == 2 { return false }
        }
    }

    /// Ends a round of asking paused calls; returns whether to ask once more.
    func endAskingPausedCalls() -> Bool { askingPausedCalls.exchange(0, ordering: .relaxed) == 2 }

    typealias Queue = WaitQueue<Exchange, Dial>

    /// The proxy credentials of a forwarded request.
    struct Forwarding: Sendable, CustomReflectable {
        let authorization: String?

        /// Whether a request's own Proxy-Authorization, which answers a challenge, replaces these credentials.
        var answersChallenges = false

        /// Returns the value for a request, without credentials if the request has its own.
        func credentials(for request: Request) -> Forwarding {
            answersChallenges && request.headers.contains(.proxyAuthorization) ? Forwarding(authorization: nil) : self
        }

        /// Leaves out the credentials.
        var customMirror: Mirror { Mirror(self, children: ["hasAuthorization": authorization != nil]) }
    }

    init(
        origin: Origin, host: String, hostIsAddress: Bool, route: Route, policy: SecurityPolicy,
        proxyPolicy: SecurityPolicy, routing: RouteConfiguration, isForSwitching: Bool = false, engine: Engine
    ) {
        self.origin = origin
        self.host = host
        self.hostIsAddress = hostIsAddress
        self.isForSwitching = isForSwitching
        self.route = route
        self.policy = policy
        self.proxyPolicy = proxyPolicy
        dialPolicy = routing.dialPolicy
        isChosenForEachURL = !routing.proxies.isByOrigin
        proxyAuthentication = engine.proxyAuthentications.authentication(
            on: route, by: routing.proxies.authenticator, policy: proxyPolicy)
        permits = engine.permits
        id = permits.makeID()
        maximumConnections = max(1, engine.options.maximumConnectionsPerOrigin)
        isRefused = !origin.scheme.isSecure && policy.needsTLS
        rotatingIdentity = origin.scheme.isSecure ? policy.rotatingIdentity : nil
        // A proxy that forwards requests does not pass a switch of protocols on: it makes a tunnel instead (RFC 6455, 4.1).
        var forwarding = origin.scheme.isSecure || isForSwitching ? nil : route.forwarding
        forwarding?.answersChallenges = proxyAuthentication != nil
        self.forwarding = forwarding
        http2 =
            switch routing.http2 {
            case .negotiated: origin.scheme.isSecure && policy.tls.offersApplicationProtocols ? .negotiated : .off
            case .priorKnowledge: origin.scheme.isSecure ? .negotiated : forwarding == nil ? .priorKnowledge : .off
            case .off: .off
            }
        if case .proxy(let proxy) = route, proxy.kind == .https, forwarding == nil, routing.http2 != .off,
            proxyPolicy.tls.offersApplicationProtocols
        {
            tunnelKey = ProxyConnections.Key(proxy: proxy, policy: proxyPolicy)
        } else {
            tunnelKey = nil
        }
        let count = engine.shards.count
        let own = id % count
        let first = tunnelKey.map { engine.tunnelShards.shard(for: $0, otherwise: own) } ?? own
        home = Atomic(http2 == .off ? -1 : first)
        tunnelShards = engine.tunnelShards
        pools = engine.shards.map { EndpointPool(shard: $0) }
        grace = engine.grace
        limitsWaiting = engine.options.maximumWaitingPerOrigin != nil
        queue = Mutex(Queue(loops: count, maximumWaiting: max(1, engine.options.maximumWaitingPerOrigin ?? .max)))
        permits.add(self)
    }

    deinit {
        permits.remove(id)
        checkTimer.withLock { $0.stop() }
    }

    var isTLS: Bool { origin.scheme.isSecure }

    /// The protocols offered in the TLS handshake.
    var applicationProtocols: [String] {
        guard policy.tls.offersApplicationProtocols else { return [] }
        return offersHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
    }

    var offersHTTP2: Bool { http2 != .off && !requiresHTTP1.load(ordering: .relaxed) }

    /// Returns whether a connection that was opened with a rotating identity may carry new requests. It may not once the
    /// identity has been replaced.
    func stillShows(_ rotation: ClientIdentity?) -> Bool {
        guard let rotatingIdentity else { return true }
        return rotatingIdentity.current == rotation
    }

    /// The shard that all requests go to; nil where each shard has connections of its own.
    var homeShard: Int? {
        let home = home.load(ordering: .relaxed)
        return home < 0 ? nil : home
    }

    func shard(_ index: Int) -> Shard? { pools.indices.contains(index) ? pools[index].shard : nil }

    /// Notes an open HTTP/1 connection: each shard opens its own from now on.
    func speaksHTTP1() { home.store(-1, ordering: .relaxed) }

    /// Notes an open connection that serves all shards.
    func speaksHTTP2(on index: Int) {
        home.store(index, ordering: .relaxed)
        hasSpokenHTTP2.store(true, ordering: .relaxed)
    }

    /// The name for the TLS handshake: none for an address, and without a trailing dot (RFC 6066, 3).
    var serverName: String? {
        if let name = policy.tls.serverName { return name }
        if hostIsAddress { return nil }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name.isEmpty ? nil : name
    }

    // MARK: The queue

    /// Reads or changes the queue under its lock.
    func change<R: Sendable>(_ change: (inout Queue) -> R) -> R {
        queue.withLock { queue in
            let result = change(&queue)
            waiting.store(queue.waiters.count, ordering: .sequentiallyConsistent)
            waitingForAny.store(queue.waiters.count - queue.waiters.freshCount, ordering: .sequentiallyConsistent)
            lacksFresh.store(queue.lacksFreshConnection, ordering: .relaxed)
            return result
        }
    }

    /// Whether requests wait.
    var hasWaiters: Bool { waiting.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether a waiting request accepts a used connection.
    var hasWaitersForAny: Bool { waitingForAny.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether a waiting request needs an unused connection, and no further one may be opened.
    var lacksFreshConnection: Bool { lacksFresh.load(ordering: .relaxed) }

    /// Whether a permit of this endpoint would be used if a connection closed.
    var isPermitWanted: Bool { hasWaiters || permits.isStarving }

    /// Reserves an idle connection for a request from outside the event loops. Returns its shard; nil if no connection is idle,
    /// or if other requests wait for one.
    func reserve() -> Shard? {
        guard !hasWaitersForAny else { return nil }
        return pools.first { $0.reserve() }?.shard
    }
}

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
    private func refuseTooMany() {
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
