import NIOCore
import SternaCore

/// The known addresses of hosts, and the waiters for those being looked up.
///
/// A state machine without I/O: the caller reports events with their times, in nanoseconds of a monotonic clock, and performs the
/// returned actions. Waiters for the same host share one look-up. A waiter's id must not be used for two waits at a time.
struct DNSCacheState<Waiter: Hashable & Sendable>: Sendable {
    /// The key of a look-up. Case does not matter; a trailing dot does, as it switches search domains off.
    struct Key: Hashable, Sendable {
        let host: String
        let families: AddressFamilies

        init(_ host: String, _ families: AddressFamilies) {
            self.host = host.lowercased()
            self.families = families
        }
    }

    /// The actions to perform.
    enum Action: Sendable {
        /// Starts a look-up; `finished` must report its end.
        case lookUp(Int, Key)
        /// Cancels a look-up without waiters; `finished` must still report its end.
        case giveUp(Int)
        case answer(Waiter, ResolvedHost)
        case fail(Waiter, any Error)
    }

    private struct Lookup {
        let key: Key
        /// Whether the look-up has taken so long that others no longer wait for it.
        var isOverdue = false
        var waiters: [Waiter] = []
        var awaited = 0
        var isRunning = false
    }

    private struct Entry {
        let host: ResolvedHost
        let expires: Int64
    }

    /// The maximum number of look-ups that run at once; the others wait in order.
    static var maximumLookups: Int { 16 }

    /// The maximum number of hosts kept.
    static var maximumHosts: Int { 1_024 }

    /// The maximum time to live of a resolver's answer; longer ones are reduced to it.
    static var longestTimeToLive: Duration { .seconds(3_600) }

    private let defaultLifetime: Int64
    private var entries: [Key: Entry] = [:]
    private var lookups: [Int: Lookup] = [:]
    // The look-ups that new waiters may share, and each waiter's look-up.
    private var shared: [Key: Int] = [:]
    private var waiting: [Waiter: Int] = [:]
    private var queue: [Int] = []
    private var lastID = 0

    /// The number of running look-ups, except those that take long.
    private(set) var runningLookups = 0

    /// - Parameter defaultLifetime: how long an answer without a time to live is kept; nothing is kept for zero or
    ///   less.
    init(defaultLifetime: Duration = .seconds(60)) {
        self.defaultLifetime = TimeAmount(clamping: defaultLifetime).nanoseconds
    }

    /// Whether a look-up was to be started and has not ended.
    func isRunning(_ id: Int) -> Bool { lookups[id]?.isRunning == true }

    /// The number of hosts kept, including expired ones.
    var keptHosts: Int { entries.count }

    /// Requests the addresses of a host: returns an answer if they are known, otherwise a later action delivers it.
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

    /// Removes a waiter, which receives no answer.
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

    /// Records the end of a look-up. An answer is kept even without waiters; an error is not.
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

    /// Records that a look-up takes long. It continues, but no longer counts against the limit, so that names with silent servers
    /// do not block others.
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
        let lifetime =
            host.timeToLive.map { TimeAmount(clamping: min($0, Self.longestTimeToLive)).nanoseconds } ?? defaultLifetime
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
}
