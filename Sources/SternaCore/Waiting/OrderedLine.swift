import DequeModule

/// The transfers that a ``QueuePlan`` may give a turn, by rank and then by order. Any of them can be removed. A value.
struct OrderedLine<ID: Hashable & Sendable>: Sendable {
    /// The position of an identifier in the queue.
    struct Place: Sendable, Comparable {
        let rank: Int
        let order: Int
        let id: ID

        /// A higher rank comes first, and within a rank the lower order.
        static func < (one: Place, other: Place) -> Bool {
            one.rank != other.rank ? one.rank > other.rank : one.order < other.order
        }
    }

    private var line: Deque<Place> = []
    private var places: [ID: Place] = [:]

    var isEmpty: Bool { line.isEmpty }

    var first: Place? { line.first }

    /// Adds an identifier, or moves one that is queued already.
    mutating func insert(_ id: ID, rank: Int, order: Int) {
        remove(id)
        let place = Place(rank: rank, order: order, id: id)
        places[id] = place
        line.insert(place, at: index(of: place))
    }

    mutating func remove(_ id: ID) {
        guard let place = places.removeValue(forKey: id) else { return }
        let index = line[index(of: place)...].firstIndex { $0.id == id }
        if let index { line.remove(at: index) }
    }

    /// The index of the first that does not stand before a place.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, line.count)
        while low < high {
            let middle = low + (high - low) / 2
            if line[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
