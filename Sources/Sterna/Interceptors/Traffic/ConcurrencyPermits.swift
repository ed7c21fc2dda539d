/// The requests to an origin that are under way, and those that wait: a value.
struct ConcurrencyPermits: Sendable {
    enum Entry: Sendable, Hashable {
        /// The request has a permit.
        case pass
        /// It waits for one, behind those that came before it.
        case wait
        /// Too many wait already.
        case refuse
    }

    /// The number of requests under way.
    private(set) var inFlight = 0

    /// The requests that wait, in order.
    private(set) var queue: [UInt64] = []

    /// Gives a request a permit, or puts it into the queue.
    mutating func enter(_ ticket: UInt64, limit: Int, waiting most: Int) -> Entry {
        if inFlight < limit, queue.isEmpty {
            inFlight += 1
            return .pass
        }
        guard queue.count < most else { return .refuse }
        queue.append(ticket)
        return .wait
    }

    /// Gives up the permit of a request under way.
    mutating func leave() { inFlight = max(inFlight - 1, 0) }

    /// Takes a request out of the queue; returns false if it has a permit by now.
    mutating func giveUp(_ ticket: UInt64) -> Bool {
        guard let index = queue.firstIndex(of: ticket) else { return false }
        queue.remove(at: index)
        return true
    }

    /// Gives free permits to the requests that wait, and returns these.
    mutating func admit(limit: Int) -> [UInt64] {
        let count = min(max(limit - inFlight, 0), queue.count)
        guard count > 0 else { return [] }
        let admitted = Array(queue.prefix(count))
        queue.removeFirst(count)
        inFlight += count
        return admitted
    }
}
