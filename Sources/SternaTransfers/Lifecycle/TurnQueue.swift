import SternaCore

/// Decides whose turn it is: a limited number of transfers at once, in total and for each host, by priority and then in order. A value
/// without tasks.
struct TurnQueue: Sendable, Hashable {
    /// The maximum numbers of transfers that run at the same time.
    struct Limits: Sendable, Hashable {
        var total: Int
        var perHost: Int
    }

    private struct Entry: Sendable, Hashable {
        let id: TransferID
        let host: String
        var priority: Request.Priority
        let number: Int
    }

    private let limits: Limits
    private var waiting: [Entry] = []
    private(set) var running: [TransferID: String] = [:]
    private var perHost: [String: Int] = [:]
    private var last = 0

    init(_ limits: Limits) { self.limits = Limits(total: max(1, limits.total), perHost: max(1, limits.perHost)) }

    /// Adds a transfer; returns those whose turn it is.
    mutating func add(_ id: TransferID, host: String, priority: Request.Priority) -> [TransferID] {
        guard running[id] == nil, !waiting.contains(where: { $0.id == id }) else { return [] }
        last += 1
        waiting.append(Entry(id: id, host: host, priority: priority, number: last))
        return next()
    }

    /// Removes a transfer that runs or waits; returns those whose turn it is now.
    mutating func remove(_ id: TransferID) -> [TransferID] {
        waiting.removeAll { $0.id == id }
        if let host = running.removeValue(forKey: id) {
            perHost[host, default: 1] -= 1
            if perHost[host] == 0 { perHost[host] = nil }
        }
        return next()
    }

    /// Changes the priority of a transfer that waits.
    mutating func setPriority(_ priority: Request.Priority, of id: TransferID) {
        for index in waiting.indices where waiting[index].id == id { waiting[index].priority = priority }
    }

    private mutating func next() -> [TransferID] {
        var begun: [TransferID] = []
        while running.count < limits.total {
            let free = waiting.indices.filter { perHost[waiting[$0].host, default: 0] < limits.perHost }
            let first = free.min { left, right in
                let (left, right) = (waiting[left], waiting[right])
                return left.priority != right.priority ? left.priority > right.priority : left.number < right.number
            }
            guard let first else { break }
            let entry = waiting.remove(at: first)
            running[entry.id] = entry.host
            perHost[entry.host, default: 0] += 1
            begun.append(entry.id)
        }
        return begun
    }
}
