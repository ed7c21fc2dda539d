/// Decides which transfers of a queue run: a limited number at the same time, in total and for each host; by priority, then in the
/// order of their arrival, and each after the transfers that it depends on. A value without tasks.
package struct QueuePlan<ID: Hashable & Sendable>: Sendable {
    /// The maximum numbers of transfers that run at the same time; at least 1.
    package struct Limits: Sendable, Hashable {
        package var total: Int
        package var perHost: Int

        package init(total: Int, perHost: Int = .max) { (self.total, self.perHost) = (total, perHost) }
    }

    /// Why a dependency is refused.
    package enum Fault: Error, Hashable {
        case unknown, begun, cycle
    }

    private struct Entry: Sendable {
        let host: String
        let arrival: Int
        let isBackground: Bool
        var priority: Request.Priority
        /// Whether the transfer asks for a turn.
        var asks = false
        var runs = false
        var hasBegun = false
        var isGivenUp = false
        /// The transfers that it depends on, and those that depend on it.
        var after: Set<ID> = []
        var before: Set<ID> = []

        /// The priority in the queue. That of transfers in the background is below that of all others.
        var effectivePriority: Int { priority.rawValue + (isBackground ? 0 : 10) }
    }

    package var limits: Limits
    private let lastComesFirst: Bool

    /// Whether no transfer gets a turn; true at first.
    package private(set) var isSuspended = true

    private var entries: [ID: Entry] = [:]
    private var arrivals = 0

    // The transfers that may have a turn, in order, by host, so that a host at its limit costs nothing.
    private var ready: [String: OrderedQueue<ID>] = [:]
    private var perHost: [String: Int] = [:]

    /// The number of transfers that have a turn.
    package private(set) var runningCount = 0

    /// - Parameter lastComesFirst: whether, of transfers with the same priority, the one that was added last has the first turn.
    package init(_ limits: Limits, lastComesFirst: Bool = false) {
        (self.limits, self.lastComesFirst) = (limits, lastComesFirst)
    }

    /// The number of transfers that have not ended.
    package var count: Int { entries.count }

    /// The transfers that have a turn, in the order of their arrival.
    package var running: [ID] { byArrival(entries.filter(\.value.runs).keys) }

    /// The transfers without a turn, in the order of their arrival.
    package var waiting: [ID] { byArrival(entries.filter { !$0.value.runs }.keys) }

    /// Whether a transfer has a turn.
    package func isRunning(_ id: ID) -> Bool { entries[id]?.runs == true }

    // MARK: Entries

    /// Adds a transfer that does not ask for a turn yet.
    ///
    /// - Parameter after: the transfers that it depends on; those that have ended are ignored.
    package mutating func add(
        _ id: ID, host: String = "", priority: Request.Priority = .normal, isBackground: Bool = false, after: [ID] = []
    ) {
        guard entries[id] == nil else { return }
        arrivals += 1
        let known = Set(after).filter { entries[$0] != nil }
        entries[id] = Entry(
            host: host, arrival: arrivals, isBackground: isBackground, priority: priority, after: known)
        for other in known { entries[other]?.before.insert(id) }
    }

    /// Makes a transfer that has not begun depend on the end of another one. Has no effect if the other one has ended.
    package mutating func require(_ id: ID, after other: ID) throws(Fault) {
        guard let entry = entries[id] else { throw .unknown }
        guard !entry.hasBegun else { throw .begun }
        guard entries[other] != nil else { return }
        guard !waits(other, for: id) else { throw .cycle }
        removeFromReady(id)
        entries[id]?.after.insert(other)
        entries[other]?.before.insert(id)
    }

    /// Whether a transfer is another one, or depends on it.
    private func waits(_ id: ID, for other: ID) -> Bool {
        var (open, seen) = ([id], Set([id]))
        while let next = open.popLast() {
            if next == other { return true }
            for before in entries[next]?.after ?? [] where seen.insert(before).inserted { open.append(before) }
        }
        return false
    }

    /// Notes that a transfer asks for a turn.
    package mutating func ask(_ id: ID) {
        guard let entry = entries[id], !entry.asks, !entry.runs, !entry.isGivenUp else { return }
        entries[id]?.asks = true
        addToReady(id)
    }

    /// Ends a transfer's turn, or withdraws its request for one, until it asks again.
    package mutating func rest(_ id: ID) {
        guard let entry = entries[id] else { return }
        if entry.runs {
            endTurn(entry)
        } else {
            removeFromReady(id)
        }
        entries[id]?.runs = false
        entries[id]?.asks = false
    }

    /// Withdraws a waiting transfer's request for a turn, since the transfer will end.
    package mutating func giveUpWaiting(_ id: ID) {
        guard let entry = entries[id], !entry.runs else { return }
        removeFromReady(id)
        entries[id]?.asks = false
        entries[id]?.isGivenUp = true
    }

    /// Removes a transfer that has ended; returns the transfers that depended on it.
    @discardableResult
    package mutating func remove(_ id: ID) -> [ID] {
        guard let entry = entries[id] else { return [] }
        if entry.runs { endTurn(entry) } else { removeFromReady(id) }
        entries[id] = nil
        for other in entry.after { entries[other]?.before.remove(id) }
        for other in entry.before {
            entries[other]?.after.remove(id)
            addToReady(other)
        }
        return byArrival(entry.before)
    }

    package mutating func setPriority(_ priority: Request.Priority, of id: ID) {
        entries[id]?.priority = priority
        addToReady(id)
    }

    package func priority(of id: ID) -> Request.Priority? { entries[id]?.priority }

    // MARK: Turns

    /// Resumes the queue. Returns the transfers to resume: those with a turn, if the queue was suspended.
    @discardableResult
    package mutating func resume() -> [ID] {
        defer { isSuspended = false }
        return isSuspended ? running : []
    }

    /// Suspends the queue. Returns the transfers to suspend: those with a turn, unless the queue was suspended already.
    @discardableResult
    package mutating func suspend() -> [ID] {
        defer { isSuspended = true }
        return isSuspended ? [] : running
    }

    /// Gives turns; returns the transfers that get them.
    package mutating func next() -> [ID] {
        guard !isSuspended else { return [] }
        var begun: [ID] = []
        while runningCount < max(1, limits.total) {
            let free = ready.lazy.filter { [perHost, limits] host, _ in
                perHost[host, default: 0] < max(1, limits.perHost)
            }
            guard let first = free.compactMap(\.value.first).min() else { break }
            removeFromReady(first.id)
            guard let entry = entries[first.id] else { continue }
            entries[first.id]?.asks = false
            entries[first.id]?.runs = true
            entries[first.id]?.hasBegun = true
            perHost[entry.host, default: 0] += 1
            runningCount += 1
            begun.append(first.id)
        }
        return begun
    }

    private mutating func endTurn(_ entry: Entry) {
        runningCount -= 1
        perHost[entry.host, default: 1] -= 1
        if perHost[entry.host] == 0 { perHost[entry.host] = nil }
    }

    /// Adds a transfer that asks for a turn and depends on none; moves it if it is there.
    private mutating func addToReady(_ id: ID) {
        guard let entry = entries[id], entry.asks, entry.after.isEmpty else { return }
        ready[entry.host, default: .init()].insert(
            id, priority: entry.effectivePriority, order: lastComesFirst ? -entry.arrival : entry.arrival)
    }

    private mutating func removeFromReady(_ id: ID) {
        guard let host = entries[id]?.host else { return }
        ready[host]?.remove(id)
        if ready[host]?.isEmpty == true { ready[host] = nil }
    }

    private func byArrival(_ ids: some Sequence<ID>) -> [ID] {
        ids.sorted { entries[$0]?.arrival ?? 0 < entries[$1]?.arrival ?? 0 }
    }
}
