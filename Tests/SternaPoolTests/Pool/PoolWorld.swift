import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// Event loops and endpoints without a network, driven by chance: what `Endpoint` and `Shard` do around `WaitQueue` and
/// `ConnectionLimiter`, with time, dials and answers in the hands of a generator.
final class PoolWorld {
    final class Connection {
        let loop: Int
        let endpoint: Int
        var isOpen = true
        var waiter: Waiter?

        init(loop: Int, endpoint: Int) {
            self.loop = loop
            self.endpoint = endpoint
        }
    }

    final class Waiter: PrioritizedWaiter {
        var ticket = 0
        var arrival = 0
        var priority: Int
        var needsFreshConnection = false
        var isWarmUp = false
        let endpoint: Int
        /// The event loop of its caller; nil for one outside of them.
        let callerLoop: Int?
        var outcome: String?

        init(priority: Int, endpoint: Int, callerLoop: Int? = nil) {
            self.priority = priority
            self.endpoint = endpoint
            self.callerLoop = callerLoop
        }
    }

    final class Dialling {
        let loop: Int
        let endpoint: Int
        var isCancelled = false

        init(loop: Int, endpoint: Int) {
            self.loop = loop
            self.endpoint = endpoint
        }
    }

    typealias Queue = WaitQueue<Waiter, Dialling>

    var random: SeededRandom
    let loops: Int
    let endpoints: Int
    let perEndpoint: Int
    var limiter: ConnectionLimiter
    var queues: [Queue]
    /// Idle connections by endpoint, then by event loop.
    var idle: [[[Connection]]]
    var dials: [Dialling] = []
    var busy: [Connection] = []
    var waiters: [Waiter] = []
    var now: Int64 = 0
    var served = 0
    var failed = 0

    /// When each endpoint was arranged last.
    var arrangedAt: [Int64]
    /// What happens between an ask for a permit and its outcome, as it would on other threads.
    var meanwhile: ((_ endpoint: Int) -> Void)?

    init(seed: UInt64, loops: Int, endpoints: Int, perEndpoint: Int, total: Int, maximumWaiting: Int = .max) {
        random = SeededRandom(seed: seed)
        self.loops = loops
        self.endpoints = endpoints
        self.perEndpoint = perEndpoint
        limiter = ConnectionLimiter(limit: total)
        arrangedAt = Array(repeating: 0, count: endpoints)
        queues = (0..<endpoints).map { _ in
            var queue = Queue(loops: loops, maximumWaiting: maximumWaiting)
            queue.maximumDials = 4
            return queue
        }
        idle = Array(repeating: Array(repeating: [], count: loops), count: endpoints)
    }

    // MARK: Requests

    func submit(_ waiter: Waiter) {
        waiters.append(waiter)
        let endpoint = waiter.endpoint
        let mayOvertake = queues[endpoint].waiters.count == queues[endpoint].waiters.freshCount
        if !waiter.needsFreshConnection, mayOvertake {
            let loop = waiter.callerLoop ?? (0..<loops).first { !idle[endpoint][$0].isEmpty }
            if let loop, let connection = idle[endpoint][loop].popLast() { return start(waiter, on: connection) }
        }
        queues[endpoint].wait(waiter)
        arrange(endpoint, prefersDial: waiter.callerLoop != nil)
    }

    func start(_ waiter: Waiter, on connection: Connection) {
        expectNil(waiter.outcome, "what has ended gets no connection")
        connection.waiter = waiter
        busy.append(connection)
    }

    func release(_ connection: Connection) {
        busy.removeAll { $0 === connection }
        if let waiter = connection.waiter { end(waiter, "served") }
        connection.waiter = nil
        offer(connection)
    }

    func offer(_ connection: Connection) {
        let endpoint = connection.endpoint
        if queues[endpoint].lacksFreshConnection { return close(connection) }
        if let waiter = popInOrder(endpoint, used: true) { return start(waiter, on: connection) }
        idle[endpoint][connection.loop].append(connection)
        if limiter.starving > 0 { close(connection) }
    }

    /// Takes out the first one, and sees that it is.
    private func popInOrder(_ endpoint: Int, used: Bool) -> Waiter? {
        var all: [Waiter] = []
        queues[endpoint].waiters.forEach { waiter, _ in all.append(waiter) }
        let waiter = used ? queues[endpoint].popFirstForUsed() : queues[endpoint].popFirst()
        guard let waiter else { return nil }
        for other in all where other !== waiter && !(used && other.needsFreshConnection) {
            let (row, otherRow) = (Self.row(waiter), Self.row(other))
            #expect(row > otherRow || row == otherRow && waiter.arrival < other.arrival, "by priority, then by arrival")
        }
        leavePermitQueue(endpoint)
        return waiter
    }

    private static func row(_ waiter: Waiter) -> Int { waiter.needsFreshConnection ? 3 : waiter.priority }

    func cancel(_ waiter: Waiter) {
        guard waiter.outcome == nil else { return }
        let endpoint = waiter.endpoint
        let dial = queues[endpoint].dial(of: waiter)
        guard queues[endpoint].leave(waiter) else { return }
        end(waiter, "cancelled")
        // Some have other time-outs than the dial has.
        let fits = Int.random(in: 0..<2, using: &random) == 0
        if let dial { queues[endpoint].takeNeedlessDial(leftBy: dial) { _ in fits }?.isCancelled = true }
        arrange(endpoint)
    }

    func end(_ waiter: Waiter, _ outcome: String) {
        expectNil(waiter.outcome, "a request ends once")
        waiter.outcome = outcome
        if outcome == "served" { served += 1 } else { failed += 1 }
    }

    // MARK: Permits

    func arrange(_ endpoint: Int, prefersDial: Bool = false) {
        if !prefersDial { offerIdle(endpoint) }
        while queues[endpoint].wantsPermit(at: now) {
            let ask = queues[endpoint].asks()
            meanwhile?(endpoint)
            let outcome = limiter.take(endpoint, limit: perEndpoint, waits: ask.isForRequest)
            meanwhile?(endpoint)
            if outcome == .granted {
                guard dial(endpoint) else { break }
                continue
            }
            queues[endpoint].wasRefused(ask, outcome)
            guard ask.isForRequest else {
                for waiter in queues[endpoint].takeNeedlessWarmUps(anyway: true) { end(waiter, "needless") }
                continue
            }
            if outcome == .allAreOpen { closeForAnother(endpoint) }
            break
        }
        arrangedAt[endpoint] = now
        for waiter in queues[endpoint].takeNeedlessWarmUps() { end(waiter, "needless") }
        refuseTooMany(endpoint)
        if queues[endpoint].lacksFreshConnection { closeOldest(endpoint) }
        offerIdle(endpoint)
        leavePermitQueue(endpoint)
    }

    private func refuseTooMany(_ endpoint: Int) {
        let waited = queues[endpoint].waiters.count - queues[endpoint].dials.count
        let refused = queues[endpoint].takeTooMany(beyond: 0, at: now) { $0.isWarmUp }
        #expect(refused.isEmpty || waited - refused.count >= queues[endpoint].maximumWaiting, "more than may wait")
        for waiter in refused { end(waiter, "too many") }
    }

    private func offerIdle(_ endpoint: Int) {
        for loop in 0..<loops {
            while !idle[endpoint][loop].isEmpty, let waiter = popInOrder(endpoint, used: true) {
                start(waiter, on: idle[endpoint][loop].removeLast())
            }
        }
    }

    func leavePermitQueue(_ endpoint: Int) {
        if queues[endpoint].needsNoPermit, limiter.leave(endpoint) { queues[endpoint].mayAskAgain() }
    }

    @discardableResult
    func closeOldest(_ endpoint: Int) -> Bool {
        guard let connection = idle[endpoint].lazy.compactMap(\.first).first else { return false }
        close(connection)
        return true
    }

    // For a request of another endpoint, or one of its own that takes nothing used.
    private func closeForAnother(_ needy: Int) {
        for endpoint in 0..<endpoints where endpoint != needy || queues[endpoint].lacksFreshConnection {
            if closeOldest(endpoint) { return }
        }
    }

    func close(_ connection: Connection) {
        guard connection.isOpen else { return }
        connection.isOpen = false
        let endpoint = connection.endpoint
        let waits = queues[endpoint].waiters.count - queues[endpoint].waiters.freshCount
        #expect(waits == 0 || queues[endpoint].lacksFreshConnection, "nothing is closed for its own endpoint's request")
        broke(connection)
    }

    /// A connection is gone, whoever closed it.
    func broke(_ connection: Connection) {
        connection.isOpen = false
        idle[connection.endpoint][connection.loop].removeAll { $0 === connection }
        lost(connection.endpoint, connection.loop)
        arrange(connection.endpoint)
    }

    private func lost(_ endpoint: Int, _ loop: Int) {
        let next = limiter.give(endpoint)
        queues[endpoint].lost(on: loop)
        guard let next else { return }
        _ = dial(next)
        arrange(next)
    }

    // MARK: Dials

    private func dial(_ endpoint: Int) -> Bool {
        queues[endpoint].mayAskAgain()
        guard let waiter = queues[endpoint].nextToDial(at: now) else {
            if let next = limiter.give(endpoint) {
                _ = dial(next)
                arrange(next)
            }
            return false
        }
        let loop = waiter.callerLoop ?? queues[endpoint].loopToFill(from: endpoint % loops)
        let dialling = Dialling(loop: loop, endpoint: endpoint)
        queues[endpoint].began(dialling, on: loop, at: now)
        dials.append(dialling)
        return true
    }

    func finish(_ dialling: Dialling, isOpen: Bool, blamesServer: Bool = true) {
        let endpoint = dialling.endpoint
        if isOpen {
            queues[endpoint].opened(dialling)
            let connection = Connection(loop: dialling.loop, endpoint: endpoint)
            if let waiter = popInOrder(endpoint, used: false) {
                if waiter.isWarmUp {
                    end(waiter, "warm")
                    offer(connection)
                } else {
                    start(waiter, on: connection)
                }
            } else {
                offer(connection)
            }
        } else {
            lost(endpoint, dialling.loop)
            if dialling.isCancelled {
                queues[endpoint].gaveUp(dialling)
            } else {
                let losers = queues[endpoint].failed(dialling, counts: blamesServer, at: now)
                for loser in losers { end(loser, "failed") }
            }
        }
        arrange(endpoint)
    }
}
