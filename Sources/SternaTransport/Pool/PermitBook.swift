import DequeModule

/// Which endpoints may open connections: a limit for each and one for all, with a line of endpoints that wait; a value without
/// I/O.
///
/// A freed permit goes to the endpoint that has waited longest for one, each in turn. As long as a permit is free, no endpoint
/// waits for one. An endpoint whose own connections are as many as may be does not stand in line: it hears of its own permits.
struct PermitBook {
    /// What an endpoint is told that asks for a permit.
    enum Answer: Hashable {
        case granted
        /// The endpoint's connections are all open.
        case endpointIsFull
        /// The connections of all endpoints are as many as may be; it stands in line, where it waits.
        case allAreOpen
    }

    private struct Account {
        let limit: Int
        var open = 0
        var isInLine = false

        var isEmpty: Bool { open == 0 && !isInLine }
    }

    let limit: Int

    /// Permits that are out.
    private(set) var open = 0
    private var accounts: [Int: Account] = [:]
    private var line: Deque<Int> = []

    init(limit: Int) { self.limit = limit }

    /// How many endpoints wait for others to close connections.
    var starving: Int { line.count }

    /// Whether an endpoint without any connection waits for others to close theirs.
    var hasNeedyEndpoint: Bool { line.prefix(8).contains { accounts[$0]?.open == 0 } }

    /// How many permits of an endpoint are out.
    func open(of endpoint: Int) -> Int { accounts[endpoint]?.open ?? 0 }

    /// Whether an endpoint stands in line.
    func isInLine(_ endpoint: Int) -> Bool { accounts[endpoint]?.isInLine ?? false }

    /// Takes a permit, or puts the endpoint in line for one where it is to wait.
    mutating func take(_ endpoint: Int, limit endpointLimit: Int, waits: Bool = true) -> Answer {
        var account = accounts[endpoint] ?? Account(limit: endpointLimit)
        defer { accounts[endpoint] = account.isEmpty ? nil : account }
        guard account.open < account.limit else { return .endpointIsFull }
        guard open < limit else {
            if waits, !account.isInLine {
                account.isInLine = true
                line.append(endpoint)
            }
            return .allAreOpen
        }
        account.open += 1
        open += 1
        return .granted
    }

    /// Takes an endpoint out of the line; whether it stood there.
    mutating func leave(_ endpoint: Int) -> Bool {
        guard var account = accounts[endpoint], account.isInLine else { return false }
        account.isInLine = false
        line.removeAll { $0 == endpoint }
        accounts[endpoint] = account.isEmpty ? nil : account
        return true
    }

    /// Gives an endpoint's permit back; returns the endpoint that gets it, if one waits.
    mutating func give(_ endpoint: Int) -> Int? {
        guard var account = accounts[endpoint], account.open > 0 else { return nil }
        account.open -= 1
        open -= 1
        accounts[endpoint] = account.isEmpty ? nil : account
        guard let next = line.popFirst(), var heir = accounts[next] else { return nil }
        heir.isInLine = false
        heir.open += 1
        open += 1
        accounts[next] = heir
        return next
    }
}
