/// A dial under way. Not nested in the queue, since it would be another type for the runtime to look up when a program starts.
struct PendingDial<Dialling: AnyObject> {
    let dial: Dialling
    /// The number of the last waiter that had arrived when the dial began.
    let lastArrival: Int
    let began: Int64
}

extension PendingDial: Sendable where Dialling: Sendable {}

/// The waiters for a connection to an endpoint, and the dials under way for them, over all event loops; a value without I/O.
///
/// Waiters are served by priority, then by arrival. A dial serves no waiter in particular: while n dials are under way, the first n
/// waiters count as dialling. Each connection holds a permit from its dial on.
struct WaitQueue<Waiter: PrioritizedWaiter, Dialling: AnyObject> {
    private(set) var waiters = PriorityQueue<Waiter>()
    private(set) var dials: [PendingDial<Dialling>] = []
    private(set) var backoff = Backoff()

    /// The state of asking for permits. The queue asks for one at a time. It asks again once that is granted, or once one of
    /// the endpoint's own permits is given back.
    enum Asking {
        case none, begun, refused
    }

    private(set) var asking = Asking.none

    /// The number of connections and dials of each event loop.
    private(set) var held: [Int]

    /// The maximum number of waiters.
    let maximumWaiting: Int

    /// The maximum number of concurrent dials: more would overrun a server that is slow to accept connections.
    var maximumDials = 16

    /// When time limits are checked next; nil if no check is scheduled.
    var nextCheck: Int64?

    /// Whether a timer is set for the end of a pause between dials, or of the patience with a first dial.
    var isPausing = false
    var isImpatient = false

    init(loops: Int, maximumWaiting: Int = .max) {
        held = Array(repeating: 0, count: loops)
        self.maximumWaiting = maximumWaiting
    }

    /// Whether there are neither waiters nor dials.
    var isEmpty: Bool { waiters.isEmpty && dials.isEmpty }

    // MARK: Waiters

    // The arrival number of the last waiter that was counted.
    private var lastCounted = 0

    /// Removes the newest waiters beyond the limit, and returns them. Each waiter is counted once, as soon as the endpoint knows
    /// whether it opens a connection for it. Warm-ups, and waiters with a dial, do not count.
    ///
    /// - Parameters:
    ///   - spare: how many idle connections the first waiters are about to get.
    ///   - mayStay: returns whether a waiter is exempt from the limit.
    mutating func takeTooMany(beyond spare: Int, at now: Int64, unless mayStay: (Waiter) -> Bool) -> [Waiter] {
        guard waiters.lastArrival > lastCounted, asking != .begun, !wantsPermit(at: now, beyond: spare) else {
            return []
        }
        let first = lastCounted
        lastCounted = waiters.lastArrival
        let waiting = waiters.count - max(waiters.warmUpCount, dials.count + spare)
        guard waiting > maximumWaiting else { return [] }
        let taken = waiters.newest(after: first).filter { !mayStay($0) }.prefix(waiting - maximumWaiting)
        for waiter in taken { waiters.remove(waiter) }
        return Array(taken)
    }

    mutating func wait(_ waiter: Waiter) { waiters.append(waiter) }

    /// Puts a waiter that was taken out back to its former place.
    mutating func putBack(_ waiter: Waiter) { waiters.putBack(waiter) }

    /// Moves a waiter whose priority has changed; has no effect on one that is not queued.
    mutating func reprioritize(_ waiter: Waiter) { waiters.reprioritize(waiter) }

    /// Returns the dial that a waiter counts as having, if any.
    func dial(of waiter: Waiter) -> Dialling? {
        waiters.position(of: waiter, below: dials.count).map { dials[$0].dial }
    }

    /// Returns the waiter that counts as having a dial, if any.
    func waiter(of dial: Dialling) -> Waiter? {
        dials.firstIndex { $0.dial === dial }.flatMap { waiters.element(at: $0) }
    }

    /// Removes a waiter that gives up. Returns whether it was queued.
    mutating func leave(_ waiter: Waiter) -> Bool { waiters.remove(waiter) }

    /// Removes the first waiter for an unused connection.
    mutating func popFirst() -> Waiter? { waiters.popFirst() }

    /// Removes the first waiter for a used connection.
    mutating func popFirstForUsed(unless isFreshEnough: (Waiter) -> Bool = { _ in false }) -> Waiter? {
        waiters.popFirst(used: true, unless: isFreshEnough)
    }

    /// Removes the warm-ups without a dial, once the connection limit is reached.
    mutating func takeNeedlessWarmUps(anyway: Bool = false) -> [Waiter] {
        guard anyway || asking == .refused, waiters.warmUpCount > 0 else { return [] }
        let dialling = dials.count
        return waiters.takeAll { $0.isWarmUp && $1 >= dialling }
    }

    /// Removes all waiters that satisfy a predicate.
    mutating func takeAll(where holds: (Waiter, _ position: Int) -> Bool = { _, _ in true }) -> [Waiter] {
        waiters.takeAll(where: holds)
    }

    // MARK: Permits

    /// Returns whether to ask for a permit now.
    ///
    /// - Parameter spare: how many idle connections the first waiters are about to get.
    func wantsPermit(at now: Int64, beyond spare: Int = 0) -> Bool {
        asking == .none && min(waiters.count - spare, backoff.allowed(of: maximumDials, at: now)) > dials.count
    }

    /// Whether the permit is for a request: no other connection is closed for a warm-up.
    private var asksForRequest: Bool { min(waiters.count - waiters.warmUpCount, waiters.count - dials.count) > 0 }

    /// Whether a waiter needs an unused connection, and none may be opened: an idle one must close.
    var lacksFreshConnection: Bool { asking != .none && waiters.freshCount - waiters.warmUpCount > dials.count }

    /// The number of waiters without a dial, while no further connection may be opened.
    var lackingConnections: Int { asking == .refused ? max(0, waiters.count - dials.count) : 0 }

    /// Whether a permit would be useless, since the waiters have been served, or have dials.
    var needsNoPermit: Bool { waiters.count <= dials.count }

    /// A pending request for a permit.
    struct Ask: Hashable {
        fileprivate let number: Int
        let isForRequest: Bool
    }

    private var lastAsk = 0

    /// Begins to ask for a permit. Called before the permits are asked, so that one given back meanwhile is not overlooked.
    mutating func asks() -> Ask {
        asking = .begun
        lastAsk += 1
        return Ask(number: lastAsk, isForRequest: asksForRequest)
    }

    /// Records that a permit was refused. A warm-up does not wait for permits, so the queue may ask again: a request may have
    /// arrived meanwhile.
    mutating func wasRefused(_ ask: Ask, _ outcome: ConnectionLimiter.Outcome) {
        guard asking == .begun, ask.number == lastAsk else { return }
        asking = ask.isForRequest || outcome == .endpointIsFull ? .refused : .none
    }

    /// Allows asking again: a permit was granted, or is no longer asked for, or the endpoint has given one back.
    mutating func mayAskAgain() { asking = .none }

    // MARK: Dials

    /// Returns the waiter for a dial with a granted permit; nil if no dial is wanted any more.
    func nextToDial(at now: Int64) -> Waiter? {
        guard dials.count < min(waiters.count, backoff.allowed(of: maximumDials, at: now)) else { return nil }
        return waiters.element(at: dials.count)
    }

    mutating func began(_ dial: Dialling, on loop: Int, at now: Int64) {
        dials.append(PendingDial(dial: dial, lastArrival: waiters.lastArrival, began: now))
        held[loop] += 1
    }

    /// Ends a dial that has opened a connection.
    mutating func opened(_ dial: Dialling) {
        _ = end(dial)
        backoff.succeeded()
    }

    /// Ends a dial that is of no more use, or that ended without a fault to count. Its event loop holds it until it completes.
    @discardableResult
    mutating func gaveUp(_ dial: Dialling) -> Bool { end(dial) != nil }

    /// Counts a closed connection, or a dial that completed without one. Its permit has been given back before.
    mutating func lost(on loop: Int) {
        held[loop] -= 1
        asking = .none
    }

    private mutating func end(_ dial: Dialling) -> (position: Int, entry: PendingDial<Dialling>)? {
        guard let position = dials.firstIndex(where: { $0.dial === dial }) else { return nil }
        return (position, dials.remove(at: position))
    }

    /// Removes a dial that is of no more use after a waiter that counted as having one gave up. That is the last one begun if
    /// there are too many, or the waiter's own if the next waiter would need another one.
    ///
    /// - Parameter fits: returns whether a waiter has the same time-outs as that dial.
    mutating func takeNeedlessDial(leftBy dial: Dialling, fits: (Waiter) -> Bool = { _ in true }) -> Dialling? {
        if dials.count > waiters.count { return dials.popLast()?.dial }
        guard let heir = waiters.element(at: dials.count - 1), !fits(heir) else { return nil }
        return end(dial)?.entry.dial
    }

    /// Ends a failed dial. Returns the waiters that fail with it.
    ///
    /// One waiter fails: the one in the dial's place, or else the first that counts as dialling. It must have waited since
    /// before the dial began, and have no more patience than the dial had.
    ///
    /// - Parameters:
    ///   - counts: whether the server is to blame, so that other dials may fare no better.
    ///   - holdsForAll: whether other dials will fare no better.
    ///   - takesAlong: whether to fail also all waiters that waited for this dial without one of their own.
    ///   - mayFail: returns whether a waiter may fail with this error; it may have more time than the dial had.
    mutating func failed(
        _ dial: Dialling, counts: Bool, holdsForAll: Bool = false, takesAlong: Bool = false, at now: Int64,
        mayFail: (Waiter) -> Bool = { _ in true }
    ) -> [Waiter] {
        let dialling = dials.count
        guard let (position, entry) = end(dial) else { return [] }
        let wasProbe = backoff.isProbing
        if counts { backoff.failed(at: now, began: entry.began) }
        if counts && wasProbe || holdsForAll {
            return waiters.takeAll { waiter, _ in waiter.arrival <= entry.lastArrival }
        }
        var loser: Waiter?
        waiters.forEach { waiter, index in
            guard index < dialling, index == position || loser == nil, waiter.arrival <= entry.lastArrival,
                mayFail(waiter)
            else { return }
            loser = waiter
        }
        var losers: [Waiter] = []
        if let loser, waiters.remove(loser) { losers.append(loser) }
        guard takesAlong else { return losers }
        let left = dials.count
        return losers + waiters.takeAll { $1 >= left && $0.arrival <= entry.lastArrival && mayFail($0) }
    }

    // MARK: Event loops

    /// The number of connections that an event loop gets before the next one does. Few connections spread over many threads
    /// cost context switches.
    static var connectionsPerLoop: Int { 8 }

    /// Returns the event loop for a dial without a preferred one: the first with room, counted from a given one, or else the
    /// one with the fewest connections.
    func loopToFill(from first: Int) -> Int {
        var least = first
        for step in held.indices {
            let loop = (first + step) % held.count
            if held[loop] < Self.connectionsPerLoop { return loop }
            if held[loop] < held[least] { least = loop }
        }
        return least
    }
}

extension WaitQueue: Sendable where Waiter: Sendable, Dialling: Sendable {}
