import SternaCore

/// Transfers that wait for their turn, by priority, and within one by arrival. A value.
struct DownloadLine: Sendable {
    private var waiting: [Int: Request.Priority] = [:]

    /// In the order of arrival, for each priority. Some have left, or have another priority since: they are passed over.
    private var lines: [Request.Priority: [Int]] = [:]

    /// How many at the beginning of each line were taken.
    private var taken: [Request.Priority: Int] = [:]

    var count: Int { waiting.count }

    mutating func add(_ id: Int, _ priority: Request.Priority) {
        guard waiting[id] != priority else { return }
        waiting[id] = priority
        lines[priority, default: []].append(id)
    }

    mutating func remove(_ id: Int) { waiting[id] = nil }

    /// Takes the next one.
    mutating func next(_ order: DownloadPrioritization) -> Int? {
        for priority in [Request.Priority.high, .normal, .low] {
            while let id = take(priority, order) {
                guard waiting[id] == priority else { continue }
                waiting[id] = nil
                return id
            }
        }
        return nil
    }

    private mutating func take(_ priority: Request.Priority, _ order: DownloadPrioritization) -> Int? {
        guard var line = lines.removeValue(forKey: priority) else { return nil }
        var first = taken[priority] ?? 0
        guard first < line.count else {
            taken[priority] = nil
            return nil
        }
        let id: Int
        if order == .lifo {
            id = line.removeLast()
        } else {
            id = line[first]
            first += 1
        }
        // Moved together now and then, so that taking costs the same however many there are.
        if first > 32, first > line.count / 2 {
            line.removeFirst(first)
            first = 0
        }
        lines[priority] = line
        taken[priority] = first
        return id
    }
}
