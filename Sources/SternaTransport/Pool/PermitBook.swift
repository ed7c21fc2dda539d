import DequeModule

/// Who may open connections: a limit for each endpoint and one for all, with lines of shards that wait; a value without I/O.
///
/// A freed permit goes to the endpoint that has waited longest for one, each endpoint in turn, and there to the shard that has
/// waited longest. As long as a permit is free, nobody waits who could use it.
struct PermitBook {
    /// A permit that somebody who waited gets.
    struct Grant: Hashable {
        let endpoint: Int
        let shard: Int
    }

    /// What a shard is told that asks for a permit.
    enum Answer: Hashable {
        case granted
        /// It stands in line: the endpoint's connections are all open.
        case endpointIsFull
        /// It stands in line: the connections of all endpoints are as many as may be.
        case allAreOpen
    }

    private struct Line {
        var open = 0
        var limit: Int
        var waiting: Deque<Int> = []
        var isInTurn = false
    }

    let limit: Int

    /// Permits that are out.
    private(set) var open = 0
    private var lines: [Int: Line] = [:]

    // Endpoints that could open a connection if all together had not opened too many.
    private var turns: Deque<Int> = []

    init(limit: Int) { self.limit = limit }

    /// How many endpoints wait for others to close connections.
    var starving: Int { open >= limit ? turns.count : 0 }

    /// How many permits of an endpoint are out, and how many shards wait for one.
    func counts(of endpoint: Int) -> (open: Int, waiting: Int) {
        lines[endpoint].map { ($0.open, $0.waiting.count) } ?? (0, 0)
    }

    /// Takes a permit, or puts the shard in line for one.
    mutating func take(_ endpoint: Int, limit endpointLimit: Int, shard: Int) -> Answer {
        var line = lines.removeValue(forKey: endpoint) ?? Line(limit: endpointLimit)
        defer { lines[endpoint] = line }
        let hasRoom = line.open < line.limit
        if hasRoom, open < limit, line.waiting.isEmpty {
            line.open += 1
            open += 1
            return .granted
        }
        line.waiting.append(shard)
        if hasRoom { takeTurn(endpoint, &line) }
        return hasRoom ? .allAreOpen : .endpointIsFull
    }

    /// Takes a shard out of an endpoint's line once; whether it stood there.
    mutating func leave(_ endpoint: Int, shard: Int) -> Bool {
        guard var line = lines[endpoint], let position = line.waiting.lastIndex(of: shard) else { return false }
        line.waiting.remove(at: position)
        if line.waiting.isEmpty, line.isInTurn {
            line.isInTurn = false
            turns.removeAll { $0 == endpoint }
        }
        lines[endpoint] = line.open == 0 && line.waiting.isEmpty ? nil : line
        return true
    }

    /// Gives a permit back; returns who gets one for it.
    mutating func give(_ endpoint: Int) -> [Grant] {
        guard var line = lines.removeValue(forKey: endpoint), line.open > 0 else { return [] }
        line.open -= 1
        open -= 1
        if !line.waiting.isEmpty { takeTurn(endpoint, &line) }
        if line.open > 0 || !line.waiting.isEmpty { lines[endpoint] = line }
        var grants: [Grant] = []
        while open < limit, let next = turns.popFirst() {
            guard var line = lines.removeValue(forKey: next) else { continue }
            line.isInTurn = false
            if line.open < line.limit, let shard = line.waiting.popFirst() {
                line.open += 1
                open += 1
                grants.append(Grant(endpoint: next, shard: shard))
                if line.open < line.limit, !line.waiting.isEmpty { takeTurn(next, &line) }
            }
            lines[next] = line
        }
        return grants
    }

    private mutating func takeTurn(_ endpoint: Int, _ line: inout Line) {
        guard !line.isInTurn else { return }
        line.isInTurn = true
        turns.append(endpoint)
    }
}
