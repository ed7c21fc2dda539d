import DequeModule

/// The transfers that a ``QueuePlan`` may give a turn, by priority and then by order. Any of them can be removed. A value.
struct OrderedQueue<ID: Hashable & Sendable>: Sendable {
    /// The position of an identifier in the queue.
    struct Position: Sendable, Comparable {
        let priority: Int
        let order: Int
        let id: ID

        /// A higher priority comes first, and within a priority the lower order.
        static func < (one: Position, other: Position) -> Bool {
            one.priority != other.priority ? one.priority > other.priority : one.order < other.order
        }
    }

    private var queue: Deque<Position> = []
    private var positions: [ID: Position] = [:]

    var isEmpty: Bool { queue.isEmpty }

    var first: Position? { queue.first }

    /// Adds an identifier, or moves one that is queued already.
    mutating func insert(_ id: ID, priority: Int, order: Int) {
        remove(id)
        let position = Position(priority: priority, order: order, id: id)
        positions[id] = position
        queue.insert(position, at: index(of: position))
    }

    mutating func remove(_ id: ID) {
        guard let position = positions.removeValue(forKey: id) else { return }
        let index = queue[index(of: position)...].firstIndex { $0.id == id }
        if let index { queue.remove(at: index) }
    }

    /// The index of the first identifier that is not before a position.
    private func index(of position: Position) -> Int {
        var (low, high) = (0, queue.count)
        while low < high {
            let middle = low + (high - low) / 2
            if queue[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
