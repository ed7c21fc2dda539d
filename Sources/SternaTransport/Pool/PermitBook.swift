import DequeModule

/// Who may open connections: a limit for each endpoint and one for all, with lines of shards that wait; a value without I/O.
///
/// A freed permit goes to the endpoint that has waited longest for one, each endpoint in turn, and there to the shard that has
/// waited longest, each shard in turn however many it waits for. As long as a permit is free, nobody waits who could use it.
struct PermitBook {
    /// A permit that somebody who waited gets.
    struct Grant: Hashable {
        let endpoint: Int
        let shard: Int
    }

    /// What a shard is told that asks for a permit.
    enum Answer: Hashable {
        case granted
        /// It stands in line, where it waits: the endpoint's connections are all open.
        case endpointIsFull
        /// It stands in line, where it waits: the connections of all endpoints are as many as may be.
        case allAreOpen
    }

    private struct Line {
        var open = 0
        var limit: Int
        /// Shards in the order of their turns, with the number of permits that each waits for.
        var shards: Deque<(shard: Int, count: Int)> = []
        var waiting = 0
        /// How many permits each shard has, up to the last one that had one.
        private var held: [Int] = []

        init(limit: Int) { self.limit = limit }
        var isInTurn = false

        mutating func grant(to shard: Int) {
            open += 1
            while held.count <= shard { held.append(0) }
            held[shard] += 1
        }

        mutating func giveBack(_ shard: Int) {
            open -= 1
            held[shard] -= 1
        }

        /// How many permits a shard has.
        func held(by shard: Int) -> Int { held.indices.contains(shard) ? held[shard] : 0 }

        mutating func wait(_ shard: Int) {
            waiting += 1
            if let place = shards.firstIndex(where: { $0.shard == shard }) {
                shards[place].count += 1
            } else {
                shards.append((shard, 1))
            }
        }

        mutating func next() -> Int? {
            guard var first = shards.popFirst() else { return nil }
            waiting -= 1
            first.count -= 1
            if first.count > 0 { shards.append(first) }
            return first.shard
        }

        mutating func leave(_ shard: Int) -> Bool {
            guard let place = shards.firstIndex(where: { $0.shard == shard }) else { return false }
            waiting -= 1
            shards[place].count -= 1
            if shards[place].count == 0 { shards.remove(at: place) }
            return true
        }
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

    /// Whether an endpoint without any connection waits for others to close theirs.
    var hasNeedyEndpoint: Bool { starving > 0 && turns.prefix(8).contains { lines[$0]?.open == 0 } }

    /// Whether a shard without any connection to an endpoint waits for others to close theirs.
    func hasNeedyShard(_ endpoint: Int) -> Bool {
        guard let line = lines[endpoint] else { return false }
        return line.shards.contains { line.held(by: $0.shard) == 0 }
    }

    /// How many permits of an endpoint are out, and how many shards wait for one.
    func counts(of endpoint: Int) -> (open: Int, waiting: Int) {
        lines[endpoint].map { ($0.open, $0.waiting) } ?? (0, 0)
    }

    /// Takes a permit, or puts the shard in line for one where it is to wait.
    mutating func take(_ endpoint: Int, limit endpointLimit: Int, shard: Int, waits: Bool = true) -> Answer {
        var line = lines.removeValue(forKey: endpoint) ?? Line(limit: endpointLimit)
        defer { if line.open > 0 || line.waiting > 0 { lines[endpoint] = line } }
        let hasRoom = line.open < line.limit
        if hasRoom, open < limit, line.waiting == 0 {
            line.grant(to: shard)
            open += 1
            return .granted
        }
        if waits {
            line.wait(shard)
            if hasRoom { takeTurn(endpoint, &line) }
        }
        return hasRoom ? .allAreOpen : .endpointIsFull
    }

    /// Takes a shard out of an endpoint's line once; whether it stood there.
    mutating func leave(_ endpoint: Int, shard: Int) -> Bool {
        guard var line = lines[endpoint], line.leave(shard) else { return false }
        if line.waiting == 0, line.isInTurn {
            line.isInTurn = false
            turns.removeAll { $0 == endpoint }
        }
        lines[endpoint] = line.open == 0 && line.waiting == 0 ? nil : line
        return true
    }

    /// Gives a shard's permit back; returns who gets one for it.
    mutating func give(_ endpoint: Int, shard: Int) -> [Grant] {
        guard var line = lines[endpoint], line.held(by: shard) > 0 else { return [] }
        lines[endpoint] = nil
        line.giveBack(shard)
        open -= 1
        if line.waiting > 0 { takeTurn(endpoint, &line) }
        if line.open > 0 || line.waiting > 0 { lines[endpoint] = line }
        var grants: [Grant] = []
        while open < limit, let next = turns.popFirst() {
            guard var line = lines.removeValue(forKey: next) else { continue }
            line.isInTurn = false
            if line.open < line.limit, let shard = line.next() {
                line.grant(to: shard)
                open += 1
                grants.append(Grant(endpoint: next, shard: shard))
                if line.open < line.limit, line.waiting > 0 { takeTurn(next, &line) }
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
