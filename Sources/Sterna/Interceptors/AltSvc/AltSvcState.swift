import SternaCore

/// The alternative services of origins (RFC 7838), as a value. Times are milliseconds since 1970.
struct AltSvcState: Sendable, Hashable {
    private struct Known: Sendable, Hashable {
        let service: AlternativeService
        let expires: Int64
    }

    private struct Entry: Sendable, Hashable {
        var known: [Known]
        let updated: Int64
    }

    private var entries: [Origin: Entry] = [:]

    /// The maximum number of origins.
    let limit: Int

    init(limit: Int = 1_000) { self.limit = max(1, limit) }

    /// The number of origins.
    var count: Int { entries.count }

    /// Learns from a network response over a verified connection. It replaces all known alternatives of its origin.
    ///
    /// - Parameter age: the response's Age in seconds, since `ma` counts from when the response was made (3.1).
    mutating func note(_ field: AltSvcField, from origin: Origin, age: Int = 0, at now: Int64) {
        guard case .services(let services) = field else { return remove(origin) }
        let now = min(max(now, 0), 1 << 52)
        let known = services.compactMap { service -> Known? in
            let rest = service.maxAge - min(max(age, 0), service.maxAge)
            return rest > 0 ? Known(service: service, expires: now + Int64(rest) * 1_000) : nil
        }
        guard !known.isEmpty else { return remove(origin) }
        entries[origin] = Entry(known: known, updated: now)
        evictIfNeeded(at: now)
    }

    /// Returns the alternatives of an origin that have not expired, in the origin's order of preference.
    func services(for origin: Origin, at now: Int64) -> [AlternativeService] {
        entries[origin]?.known.filter { $0.expires > now }.map(\.service) ?? []
    }

    /// Removes the alternatives of an origin, for example after a 421 (6).
    mutating func remove(_ origin: Origin) { entries[origin] = nil }

    mutating func removeAll() { entries = [:] }

    /// Removes alternatives that a change of network ends (3.1).
    mutating func networkChanged() {
        for (origin, var entry) in entries {
            entry.known.removeAll { !$0.service.persists }
            entries[origin] = entry.known.isEmpty ? nil : entry
        }
    }

    /// Once there are more entries than the limit, removes expired ones, then the oldest, down to 15/16 of the limit.
    private mutating func evictIfNeeded(at now: Int64) {
        guard entries.count > limit else { return }
        entries = entries.filter { $0.value.known.contains { $0.expires > now } }
        guard entries.count > limit else { return }
        let target = max(1, limit - limit / 16)
        let order = entries.sorted { one, other in
            one.value.updated == other.value.updated
                ? "\(one.key)" < "\(other.key)" : one.value.updated < other.value.updated
        }
        for (origin, _) in order.prefix(entries.count - target) { entries[origin] = nil }
    }
}
