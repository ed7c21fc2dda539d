import DequeModule

/// Whose turn it is to send of those streams that have something to send: each in its turn, one frame a turn.
struct SendTurns<ID: Hashable> {
    // Who has left, or come again since, still has its old place, but no longer its ticket.
    private var line: Deque<(id: ID, ticket: Int)> = []
    private var tickets: [ID: Int] = [:]
    private var lastTicket = 0

    var isEmpty: Bool { tickets.isEmpty }

    private mutating func ticket(for id: ID) -> Int? {
        guard tickets[id] == nil else { return nil }
        lastTicket += 1
        tickets[id] = lastTicket
        return lastTicket
    }

    /// A stream has something to send; it goes to the end unless it stands in the line.
    mutating func add(_ id: ID) {
        if let ticket = ticket(for: id) { line.append((id, ticket)) }
    }

    /// A stream could not use its turn; it is next again.
    mutating func putBack(_ id: ID) {
        if let ticket = ticket(for: id) { line.prepend((id, ticket)) }
    }

    /// Takes out who is next.
    mutating func next() -> ID? {
        while let (id, ticket) = line.popFirst() {
            guard tickets[id] == ticket else { continue }
            tickets[id] = nil
            return id
        }
        return nil
    }

    /// A stream has nothing to send any more.
    mutating func remove(_ id: ID) {
        guard tickets.removeValue(forKey: id) != nil else { return }
        if line.count > 2 * tickets.count + 16 { line.removeAll { tickets[$0.id] != $0.ticket } }
    }
}
