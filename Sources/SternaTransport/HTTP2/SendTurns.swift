import DequeModule

/// Whose turn it is to send of those streams that have something to send: each in its turn, one frame a turn.
struct SendTurns<ID: Hashable> {
    private var line: Deque<ID> = []
    private var members: Set<ID> = []

    var isEmpty: Bool { members.isEmpty }

    /// A stream has something to send; it goes to the end unless it stands in the line.
    mutating func add(_ id: ID) {
        if members.insert(id).inserted { line.append(id) }
    }

    /// Takes out who is next.
    mutating func next() -> ID? {
        while let id = line.popFirst() {
            if members.remove(id) != nil { return id }
        }
        return nil
    }

    /// A stream has nothing to send any more.
    mutating func remove(_ id: ID) {
        guard members.remove(id) != nil else { return }
        // Who has left does not stand in the line for longer than others do.
        if line.count > 2 * members.count + 16 { line.removeAll { !members.contains($0) } }
    }
}
