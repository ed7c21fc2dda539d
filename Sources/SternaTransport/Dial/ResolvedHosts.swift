import SternaCore

/// What is known of hosts' addresses, and who waits to know.
///
/// It does nothing by itself: it is told what happens and when, in nanoseconds of a clock that never goes back, and
/// says what to do. Whoever waits for a host that is being looked up shares that look-up. A waiter's id must not be
/// used for two waits at a time.
struct ResolvedHosts<Waiter: Hashable & Sendable>: Sendable {
    /// What a look-up is for. Without regard to case; a dot at the end counts, as it switches search domains off.
    struct Key: Hashable, Sendable {
        let host: String
        let families: AddressFamilies

        init(_ host: String, _ families: AddressFamilies) {
            self.host = host.lowercased()
            self.families = families
        }
    }

    /// What is to be done next.
    enum Action: Sendable {
        /// Starts a look-up, whose end must be told by `finished`.
        case lookUp(Int, Key)
        /// Cancels a look-up that nobody waits for any more; its end must be told still.
        case giveUp(Int)
        case answer(Waiter, ResolvedHost)
        case fail(Waiter, any Error)
    }

    private struct Lookup {
        let key: Key
        /// Whether it has taken so long that others need not wait for it.
        var isOverdue = false
        var waiters: [Waiter] = []
        var awaited = 0
        var isRunning = false
    }

    private struct Entry {
        let host: ResolvedHost
        let expires: Int64
    }

    /// How many look-ups run at once; the others wait in order.
    static var maximumLookups: Int { 16 }

    /// How many hosts are kept.
    static var maximumHosts: Int { 1_024 }

    /// How long a resolver's answer is kept at most.
    static var longestTimeToLive: Duration { .seconds(3_600) }

    private let defaultLifetime: Int64
    private var entries: [Key: Entry] = [:]
    private var lookups: [Int: Lookup] = [:]
    // The look-ups that may be shared, and the look-ups of those who wait.
    private var shared: [Key: Int] = [:]
    private var waiting: [Waiter: Int] = [:]
    private var queue: [Int] = []
    private var lastID = 0

    /// How many look-ups have been started, have not finished, and do not take long.
    private(set) var runningLookups = 0

    /// - Parameter defaultLifetime: how long an answer without a time to live is kept; nothing is kept for zero or
    ///   less.
    init(defaultLifetime: Duration = .seconds(60)) {
        self.defaultLifetime = Self.nanoseconds(defaultLifetime)
    }

    /// How many hosts are kept, expired ones among them.
    var keptHosts: Int { entries.count }

    /// Somebody wants the addresses of a host: they are known, or will be told by a later action.
    mutating func resolve(_ host: String, _ families: AddressFamilies, waiter: Waiter, now: Int64) -> [Action] {
        let key = Key(host, families)
        if let entry = entries[key] {
            if now < entry.expires { return [.answer(waiter, entry.host)] }
            entries[key] = nil
        }
        let id = shared[key] ?? add(key)
        lookups[id]?.waiters.append(waiter)
        lookups[id]?.awaited += 1
        waiting[waiter] = id
        return startLookups()
    }

    /// A waiter has gone; it is told nothing more.
    mutating func cancelled(_ waiter: Waiter) -> [Action] {
        guard let id = waiting.removeValue(forKey: waiter), var lookup = lookups[id] else { return [] }
        lookup.awaited -= 1
        lookups[id] = lookup
        guard lookup.awaited == 0 else { return [] }
        shared[lookup.key] = nil
        if lookup.isRunning { return [.giveUp(id)] }
        lookups[id] = nil
        queue.removeAll { $0 == id }
        return []
    }

    /// A look-up has come to its end. An answer is kept even if nobody waits for it any more; an error is not.
    mutating func finished(_ id: Int, _ result: Result<ResolvedHost, any Error>, now: Int64) -> [Action] {
        guard let lookup = lookups[id], lookup.isRunning else { return [] }
        lookups[id] = nil
        if !lookup.isOverdue { runningLookups -= 1 }
        if shared[lookup.key] == id { shared[lookup.key] = nil }
        if case .success(let host) = result { keep(host, for: lookup.key, now) }
        var actions: [Action] = []
        for waiter in lookup.waiters where waiting[waiter] == id {
            waiting[waiter] = nil
            switch result {
            case .success(let host): actions.append(.answer(waiter, host))
            case .failure(let error): actions.append(.fail(waiter, error))
            }
        }
        return actions + startLookups()
    }

    /// A look-up takes long: it goes on, and no longer keeps others from beginning, so that names whose servers are silent do not
    /// stop those of others.
    mutating func takesLong(_ id: Int) -> [Action] {
        guard let lookup = lookups[id], lookup.isRunning, !lookup.isOverdue else { return [] }
        lookups[id]?.isOverdue = true
        runningLookups -= 1
        return startLookups()
    }

    private mutating func add(_ key: Key) -> Int {
        lastID += 1
        lookups[lastID] = Lookup(key: key)
        shared[key] = lastID
        queue.append(lastID)
        return lastID
    }

    private mutating func startLookups() -> [Action] {
        var actions: [Action] = []
        while runningLookups < Self.maximumLookups, !queue.isEmpty {
            let id = queue.removeFirst()
            guard let key = lookups[id]?.key else { continue }
            lookups[id]?.isRunning = true
            runningLookups += 1
            actions.append(.lookUp(id, key))
        }
        return actions
    }

    private mutating func keep(_ host: ResolvedHost, for key: Key, _ now: Int64) {
        let lifetime = host.timeToLive.map { Self.nanoseconds(min($0, Self.longestTimeToLive)) } ?? defaultLifetime
        guard lifetime > 0, !host.addresses.isEmpty else { return }
        if entries[key] == nil, entries.count >= Self.maximumHosts { makeRoom(now) }
        let (sum, overflow) = now.addingReportingOverflow(lifetime)
        entries[key] = Entry(host: host, expires: overflow ? .max : sum)
    }

    private mutating func makeRoom(_ now: Int64) {
        entries = entries.filter { now < $0.value.expires }
        while entries.count >= Self.maximumHosts, let soonest = entries.min(by: { $0.value.expires < $1.value.expires })
        {
            entries[soonest.key] = nil
        }
    }

    // At most a hundred years, so that it can be added to a time.
    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(100 * 366 * 86_400)).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
