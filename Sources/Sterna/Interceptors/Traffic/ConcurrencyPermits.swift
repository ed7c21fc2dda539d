/// The requests to an origin that are under way or waiting.
struct ConcurrencyPermits: Sendable {
    enum Entry: Sendable, Hashable {
        /// The request has a permit.
        case pass
        /// The request waits in the queue.
        case wait
        /// Too many wait already.
        case refuse
    }

    /// The number of requests under way.
    private(set) var inFlight = 0

    /// The requests that wait, in order.
    private(set) var queue: [UInt64] = []

    /// Gives a request a permit, or adds it to the queue.
    mutating func enter(_ ticket: UInt64, limit: Int, waiting most: Int) -> Entry {
        if inFlight < limit, queue.isEmpty {
            inFlight += 1
            return .pass
        }
        guard queue.count < most else { return .refuse }
        queue.append(ticket)
        return .wait
    }

    /// Returns the permit of a request under way.
    mutating func leave() { inFlight = max(inFlight - 1, 0) }

    /// Removes a request from the queue; returns false if it has received a permit.
    mutating func giveUp(_ ticket: UInt64) -> Bool {
        guard let index = queue.firstIndex(of: ticket) else { return false }
        queue.remove(at: index)
        return true
    }

    /// Assigns free permits to the first requests of the queue, and returns these requests.
    mutating func admit(limit: Int) -> [UInt64] {
        let count = min(max(limit - inFlight, 0), queue.count)
        guard count > 0 else { return [] }
        let admitted = Array(queue.prefix(count))
        queue.removeFirst(count)
        inFlight += count
        return admitted
    }
}
