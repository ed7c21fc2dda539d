import DequeModule

/// A queue of identifiers, such as those of transfers, by rank and then by order. Any of them can be removed. A value.
package struct OrderedLine<ID: Hashable & Sendable>: Sendable {
    /// The position of an identifier in the queue.
    package struct Place: Sendable, Comparable {
        package let rank: Int
        package let order: Int
        package let id: ID

        /// A higher rank comes first, and within a rank the lower order.
        package static func < (one: Place, other: Place) -> Bool {
            one.rank != other.rank ? one.rank > other.rank : one.order < other.order
        }
    }

    private var line: Deque<Place> = []
    private var places: [ID: Place] = [:]

    package init() {}

    package var count: Int { line.count }

    package var isEmpty: Bool { line.isEmpty }

    package var first: Place? { line.first }

    /// Adds an identifier, or moves one that is queued already.
    package mutating func insert(_ id: ID, rank: Int, order: Int) {
        remove(id)
        let place = Place(rank: rank, order: order, id: id)
        places[id] = place
        line.insert(place, at: index(of: place))
    }

    package mutating func remove(_ id: ID) {
        guard let place = places.removeValue(forKey: id) else { return }
        let index = line[index(of: place)...].firstIndex { $0.id == id }
        if let index { line.remove(at: index) }
    }

    package mutating func popFirst() -> ID? {
        guard let first = line.popFirst() else { return nil }
        places[first.id] = nil
        return first.id
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
