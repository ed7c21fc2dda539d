/// What waits for a connection to an endpoint, and the dials that are under way for it, over all event loops; a value without I/O.
///
/// Waiters are served by rank, then by arrival. A dial is for no waiter in particular: while n dials are under way, the first n
/// waiters count as dialling. A permit is held for every connection from the dial on.
struct WaitQueue<Waiter: InLine, Dialling: AnyObject> {
    /// A dial under way.
    struct Entry {
        let dial: Dialling
        /// The last waiter that had come when it began.
        let lastArrival: Int
        let began: Int64
    }

    private(set) var line = WaitingLine<Waiter>()
    private(set) var dials: [Entry] = []
    private(set) var backoff = Backoff()

    /// How it stands with permits. One is asked for at a time; more where it is granted, or where one of the endpoint's own has
    /// been given back.
    enum Asking {
        case none, begun, refused
    }

    private(set) var asking = Asking.none

    /// How many connections, and dials, each event loop has.
    private(set) var held: [Int]

    /// How many may wait.
    let maximumWaiting: Int

    /// How many dials may be under way at a time: more would be a run on a server that is slow to answer.
    var maximumDials = 16

    /// When time limits are looked at next; nil where nothing has been arranged.
    var nextLook: Int64?

    /// Whether a moment has been arranged at which a pause between dials ends, or the patience with a first dial.
    var isPausing = false
    var isImpatient = false

    init(loops: Int, maximumWaiting: Int = .max) {
        held = Array(repeating: 0, count: loops)
        self.maximumWaiting = maximumWaiting
    }

    /// Whether there is nothing to remember.
    var isEmpty: Bool { line.isEmpty && dials.isEmpty }

    // MARK: Waiters

    // Which of those that came have been counted.
    private var lastCounted = 0

    /// Removes the newest waiters beyond the limit, and returns them. Each waiter is counted once, as soon as the endpoint knows
    /// whether it opens a connection for it. Warm-ups, and waiters with a dial, do not count.
    ///
    /// - Parameters:
    ///   - spare: how many idle connections the first waiters are about to get.
    ///   - mayStay: whether one waits however many do.
    mutating func takeTooMany(beyond spare: Int, at now: Int64, unless mayStay: (Waiter) -> Bool) -> [Waiter] {
        guard line.lastArrival > lastCounted, asking != .begun, !wantsPermit(at: now, beyond: spare) else { return [] }
        let first = lastCounted
        lastCounted = line.lastArrival
        let waiting = line.count - max(line.warmUpCount, dials.count + spare)
        guard waiting > maximumWaiting else { return [] }
        let taken = line.newest(after: first).filter { !mayStay($0) }.prefix(waiting - maximumWaiting)
        for waiter in taken { line.remove(waiter) }
        return Array(taken)
    }

    mutating func wait(_ waiter: Waiter) { line.append(waiter) }

    /// A waiter that was taken out goes back to where it stood.
    mutating func putBack(_ waiter: Waiter) { line.putBack(waiter) }

    /// The dial that a waiter counts as having, if it has one.
    func dial(of waiter: Waiter) -> Dialling? { line.position(of: waiter, below: dials.count).map { dials[$0].dial } }

    /// The waiter that counts as having a dial, if one does.
    func waiter(of dial: Dialling) -> Waiter? {
        dials.firstIndex { $0.dial === dial }.flatMap { line.element(at: $0) }
    }

    /// A waiter gives up; whether it was waiting.
    mutating func leave(_ waiter: Waiter) -> Bool { line.remove(waiter) }

    /// A waiter for a connection that nothing has used.
    mutating func popFirst() -> Waiter? { line.popFirst() }

    /// A waiter for a connection that was used.
    mutating func popFirstForUsed(unless isFreshEnough: (Waiter) -> Bool = { _ in false }) -> Waiter? {
        line.popFirst(used: true, unless: isFreshEnough)
    }

    /// The warm-ups that no dial is under way for, where as many connections are open as may be.
    mutating func takeNeedlessWarmUps(anyway: Bool = false) -> [Waiter] {
        guard anyway || asking == .refused, line.warmUpCount > 0 else { return [] }
        let dialling = dials.count
        return line.takeAll { $0.isWarmUp && $1 >= dialling }
    }

    /// All that wait, for whom something holds.
    mutating func takeAll(where holds: (Waiter, _ position: Int) -> Bool = { _, _ in true }) -> [Waiter] {
        line.takeAll(where: holds)
    }

    // MARK: Permits

    /// Whether to ask for a permit now.
    ///
    /// - Parameter spare: how many idle connections the first waiters are about to get.
    func wantsPermit(at now: Int64, beyond spare: Int = 0) -> Bool {
        asking == .none && min(line.count - spare, backoff.allowed(of: maximumDials, at: now)) > dials.count
    }

    /// Whether that is for a request: for a warm-up no other connection is closed.
    private var asksForRequest: Bool { min(line.count - line.warmUpCount, line.count - dials.count) > 0 }

    /// Whether a waiter needs a connection that nothing has used, and none may be opened: one that is there must go.
    var lacksFreshConnection: Bool { asking != .none && line.freshCount - line.warmUpCount > dials.count }

    /// Whether a permit would be for nothing, since those that waited have been served, or have dials.
    var needsNoPermit: Bool { line.count <= dials.count }

    /// An ask for a permit under way.
    struct Ask: Hashable {
        fileprivate let number: Int
        let isForRequest: Bool
    }

    private var lastAsk = 0

    /// To be said before the permits are asked, so that what is given back meanwhile is not overlooked.
    mutating func asks() -> Ask {
        asking = .begun
        lastAsk += 1
        return Ask(number: lastAsk, isForRequest: asksForRequest)
    }

    /// A permit was asked for and refused. Nothing stands in line for a warm-up, and so what waits may ask again: a request may
    /// have come meanwhile.
    mutating func wasRefused(_ ask: Ask, _ answer: PermitBook.Answer) {
        guard asking == .begun, ask.number == lastAsk else { return }
        asking = ask.isForRequest || answer == .endpointIsFull ? .refused : .none
    }

    /// A permit is there, or is not asked for any more, or one of the endpoint's own has been given back.
    mutating func mayAskAgain() { asking = .none }

    // MARK: Dials

    /// The waiter that a dial may begin for with a permit that is there; nil where none is wanted any more.
    func nextToDial(at now: Int64) -> Waiter? {
        guard dials.count < min(line.count, backoff.allowed(of: maximumDials, at: now)) else { return nil }
        return line.element(at: dials.count)
    }

    mutating func began(_ dial: Dialling, on loop: Int, at now: Int64) {
        dials.append(Entry(dial: dial, lastArrival: line.lastArrival, began: now))
        held[loop] += 1
    }

    /// A dial has brought a connection.
    mutating func opened(_ dial: Dialling) {
        _ = end(dial)
        backoff.succeeded()
    }

    /// A dial is of no use any more, or has ended without anything to blame. Its loop holds it until it has come to its end.
    @discardableResult
    mutating func gaveUp(_ dial: Dialling) -> Bool { end(dial) != nil }

    /// A connection is closed, or a dial has come to its end without one; its permit has been given back before.
    mutating func lost(on loop: Int) {
        held[loop] -= 1
        asking = .none
    }

    private mutating func end(_ dial: Dialling) -> (position: Int, entry: Entry)? {
        guard let position = dials.firstIndex(where: { $0.dial === dial }) else { return nil }
        return (position, dials.remove(at: position))
    }

    /// A dial that is of no use any more since a waiter gave up that counted as having one: the one that began last where there
    /// are too many, or the one that the waiter had where the next waiter would have another one begun for it.
    ///
    /// - Parameter fits: whether a waiter has the same time-outs as that dial.
    mutating func takeNeedlessDial(leftBy dial: Dialling, fits: (Waiter) -> Bool = { _ in true }) -> Dialling? {
        if dials.count > line.count { return dials.popLast()?.dial }
        guard let heir = line.element(at: dials.count - 1), !fits(heir) else { return nil }
        return end(dial)?.entry.dial
    }

    /// A dial has failed; returns the waiters that fail with it.
    ///
    /// One waiter does: the one in the dial's place, or else the first that counts as dialling, has waited since before the dial
    /// began, and has no more patience than the dial had.
    ///
    /// - Parameters:
    ///   - counts: whether the server is to blame, so that others may fare no better.
    ///   - holdsForAll: whether others will fare no better.
    ///   - takesAlong: whether all fail that waited for this dial without one of their own.
    ///   - mayFail: whether a waiter may fail with this error; it may have more time than the dial had.
    mutating func failed(
        _ dial: Dialling, counts: Bool, holdsForAll: Bool = false, takesAlong: Bool = false, at now: Int64,
        mayFail: (Waiter) -> Bool = { _ in true }
    ) -> [Waiter] {
        let dialling = dials.count
        guard let (position, entry) = end(dial) else { return [] }
        let wasProbe = backoff.isProbing
        if counts { backoff.failed(at: now, began: entry.began) }
        if counts && wasProbe || holdsForAll {
            return line.takeAll { waiter, _ in waiter.arrival <= entry.lastArrival }
        }
        var loser: Waiter?
        line.forEach { waiter, place in
            guard place < dialling, place == position || loser == nil, waiter.arrival <= entry.lastArrival,
                mayFail(waiter)
            else { return }
            loser = waiter
        }
        var losers: [Waiter] = []
        if let loser, line.remove(loser) { losers.append(loser) }
        guard takesAlong else { return losers }
        let left = dials.count
        return losers + line.takeAll { $1 >= left && $0.arrival <= entry.lastArrival && mayFail($0) }
    }

    // MARK: Event loops

    /// How many connections one event loop gets before the next one does: few connections spread over many threads cost
    /// context switches.
    static var connectionsPerLoop: Int { 8 }

    /// The event loop that a dial goes to where nothing speaks for one: the first with room, counted from a given one, else
    /// the one that has least.
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

extension WaitQueue.Entry: Sendable where Waiter: Sendable, Dialling: Sendable {}
extension WaitQueue: Sendable where Waiter: Sendable, Dialling: Sendable {}
