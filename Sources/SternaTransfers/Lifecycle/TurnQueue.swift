import DequeModule
import SternaCore

/// Decides whose turn it is: a limited number of transfers at once, in total and for each host, by priority and then in order. A value
/// without tasks.
struct TurnQueue: Sendable, Hashable {
    /// The maximum numbers of transfers that run at the same time.
    struct Limits: Sendable, Hashable {
        var total: Int
        var perHost: Int
    }

    /// Where a transfer stands among those that wait.
    private struct Place: Sendable, Hashable, Comparable {
        var priority: Request.Priority
        let number: Int

        static func < (left: Place, right: Place) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.number < right.number
        }
    }

    private struct Entry: Sendable, Hashable {
        let id: TransferID
        let host: String
        var place: Place
    }

    private let limits: Limits
    /// Those that wait, in the order of their places.
    private var waiting: Deque<Entry> = []
    private var places: [TransferID: Place] = [:]
    private(set) var running: [TransferID: String] = [:]
    private var perHost: [String: Int] = [:]
    private var last = 0

    init(_ limits: Limits) { self.limits = Limits(total: max(1, limits.total), perHost: max(1, limits.perHost)) }

    /// Adds a transfer; returns those whose turn it is.
    mutating func add(_ id: TransferID, host: String, priority: Request.Priority) -> [TransferID] {
        guard running[id] == nil, places[id] == nil else { return [] }
        last += 1
        insert(Entry(id: id, host: host, place: Place(priority: priority, number: last)))
        return next()
    }

    /// Removes a transfer that runs or waits; returns those whose turn it is now.
    mutating func remove(_ id: TransferID) -> [TransferID] {
        _ = takeWaiting(id)
        if let host = running.removeValue(forKey: id) {
            perHost[host, default: 1] -= 1
            if perHost[host] == 0 { perHost[host] = nil }
        }
        return next()
    }

    /// Changes the priority of a transfer that waits.
    mutating func setPriority(_ priority: Request.Priority, of id: TransferID) {
        guard var entry = takeWaiting(id) else { return }
        entry.place.priority = priority
        insert(entry)
    }

    private mutating func insert(_ entry: Entry) {
        places[entry.id] = entry.place
        waiting.insert(entry, at: index(of: entry.place))
    }

    private mutating func takeWaiting(_ id: TransferID) -> Entry? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        return waiting.remove(at: index(of: place))
    }

    /// The index of the first that does not stand before a place.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func next() -> [TransferID] {
        var begun: [TransferID] = []
        while running.count < limits.total, let index = waiting.firstIndex(where: { isFree($0.host) }) {
            let entry = waiting.remove(at: index)
            places[entry.id] = nil
            running[entry.id] = entry.host
            perHost[entry.host, default: 0] += 1
            begun.append(entry.id)
        }
        return begun
    }

    private func isFree(_ host: String) -> Bool { perHost[host, default: 0] < limits.perHost }
}
