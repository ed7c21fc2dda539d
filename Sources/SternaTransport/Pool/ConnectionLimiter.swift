import DequeModule

/// Permits of endpoints to open connections: a limit for each and one for all, with a queue of waiting endpoints; a value
/// without I/O.
///
/// A freed permit goes to the endpoint that has waited longest, each in turn. No endpoint waits while a permit is free. An
/// endpoint at its own limit is not queued: it tracks its own permits itself.
struct ConnectionLimiter {
    /// The result of a request for a permit.
    enum Outcome: Hashable {
        case granted
        /// The endpoint has reached its own limit.
        case endpointIsFull
        /// The endpoints have reached the limit for all. The asking endpoint is queued if it waits.
        case allAreOpen
    }

    private struct Account {
        let limit: Int
        var open = 0
        var isQueued = false

        var isEmpty: Bool { open == 0 && !isQueued }
    }

    let limit: Int

    /// The number of permits in use.
    private(set) var open = 0
    private var accounts: [Int: Account] = [:]
    private var queue: Deque<Int> = []

    init(limit: Int) { self.limit = limit }

    /// The number of endpoints that wait for others to close connections.
    var starving: Int { queue.count }

    /// Whether an endpoint without any connection waits for others to close theirs; looks at the first eight in the queue.
    var hasNeedyEndpoint: Bool { queue.prefix(8).contains { accounts[$0]?.open == 0 } }

    /// Returns how many permits an endpoint uses.
    func open(of endpoint: Int) -> Int { accounts[endpoint]?.open ?? 0 }

    /// Returns whether an endpoint is queued.
    func isQueued(_ endpoint: Int) -> Bool { accounts[endpoint]?.isQueued ?? false }

    /// Takes a permit. If the limit for all is reached, queues the endpoint, provided that it waits.
    mutating func take(_ endpoint: Int, limit endpointLimit: Int, waits: Bool = true) -> Outcome {
        var account = accounts[endpoint] ?? Account(limit: endpointLimit)
        defer { accounts[endpoint] = account.isEmpty ? nil : account }
        guard account.open < account.limit else { return .endpointIsFull }
        guard open < limit else {
            if waits, !account.isQueued {
                account.isQueued = true
                queue.append(endpoint)
            }
            return .allAreOpen
        }
        account.open += 1
        open += 1
        return .granted
    }

    /// Removes an endpoint from the queue. Returns whether it was queued.
    mutating func leave(_ endpoint: Int) -> Bool {
        guard var account = accounts[endpoint], account.isQueued else { return false }
        account.isQueued = false
        queue.removeAll { $0 == endpoint }
        accounts[endpoint] = account.isEmpty ? nil : account
        return true
    }

    /// Gives an endpoint's permit back. Returns the endpoint that receives it, if one waits.
    mutating func give(_ endpoint: Int) -> Int? {
        guard var account = accounts[endpoint], account.open > 0 else { return nil }
        account.open -= 1
        open -= 1
        accounts[endpoint] = account.isEmpty ? nil : account
        guard let next = queue.popFirst(), var heir = accounts[next] else { return nil }
        heir.isQueued = false
        heir.open += 1
        open += 1
        accounts[next] = heir
        return next
    }
}
