import SternaCore

/// The alternative services of origins (RFC 7838), as a value. Moments are milliseconds since 1970.
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

    /// Learns from a response that the network brought over a verified connection; what it says replaces all that was known of its
    /// origin.
    ///
    /// - Parameter age: the seconds since the response was made, which its Age field says, since `ma` counts from then (3.1).
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

    /// Returns the alternatives of an origin that may still be used, the preferred one first.
    func services(for origin: Origin, at now: Int64) -> [AlternativeService] {
        entries[origin]?.known.filter { $0.expires > now }.map(\.service) ?? []
    }

    /// Forgets the alternatives of an origin: one of them has answered 421 (6), say.
    mutating func remove(_ origin: Origin) { entries[origin] = nil }

    mutating func removeAll() { entries = [:] }

    /// Forgets the alternatives that are for one network only (3.1).
    mutating func networkChanged() {
        for (origin, var entry) in entries {
            entry.known.removeAll { !$0.service.persists }
            entries[origin] = entry.known.isEmpty ? nil : entry
        }
    }

    /// Drops expired entries, then the oldest, down to fifteen sixteenths of the limit, once there are more than it.
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
