import DequeModule

/// The order in which streams send that have something to send: in turn, one frame a turn.
struct SendQueue<ID: Hashable> {
    // Streams that left the queue, or joined it again since, keep a stale entry, which their ticket number invalidates.
    private var queue: Deque<(id: ID, ticket: Int)> = []
    private var tickets: [ID: Int] = [:]
    private var lastTicket = 0

    var isEmpty: Bool { tickets.isEmpty }

    private mutating func ticket(for id: ID) -> Int? {
        guard tickets[id] == nil else { return nil }
        lastTicket += 1
        tickets[id] = lastTicket
        return lastTicket
    }

    /// Adds a stream that has something to send, at the end unless it is queued.
    mutating func add(_ id: ID) {
        if let ticket = ticket(for: id) { queue.append((id, ticket)) }
    }

    /// Puts a stream that could not use its turn back to the front.
    mutating func putBack(_ id: ID) {
        if let ticket = ticket(for: id) { queue.prepend((id, ticket)) }
    }

    /// Takes out the next stream.
    mutating func next() -> ID? {
        while let (id, ticket) = queue.popFirst() {
            guard tickets[id] == ticket else { continue }
            tickets[id] = nil
            return id
        }
        return nil
    }

    /// Removes a stream that has nothing to send any more.
    mutating func remove(_ id: ID) {
        guard tickets.removeValue(forKey: id) != nil else { return }
        if queue.count > 2 * tickets.count + 16 { queue.removeAll { tickets[$0.id] != $0.ticket } }
    }
}
