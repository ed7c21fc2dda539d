import SternaCore

/// The hosts that must be reached over TLS (RFC 6797), as a value. Times are milliseconds since 1970.
struct HSTSState: Sendable, Hashable {
    /// An entry for a host.
    struct Entry: Sendable, Hashable {
        /// When it expires.
        var expires: Int64
        var includesSubdomains: Bool

        /// When it was learnt; of two entries for a host, the later one counts.
        var updated: Int64

        /// Whether the host was removed; kept for files and processes that still have it.
        var isRemoved = false

        /// Returns whether it takes precedence over another entry for the host. Of two with the same time, the one that protects
        /// more does.
        func isNewer(than other: Entry) -> Bool {
            if updated != other.updated { return updated > other.updated }
            if isRemoved != other.isRemoved { return other.isRemoved }
            if expires != other.expires { return expires > other.expires }
            return includesSubdomains && !other.includesSubdomains
        }
    }

    private(set) var entries: [String: Entry] = [:]

    /// The maximum number of entries.
    let limit: Int

    /// Whether removed hosts are remembered, so that older files do not add them again.
    let keepsRemovals: Bool

    init(limit: Int = 10_000, keepsRemovals: Bool = false) {
        self.limit = max(1, limit)
        self.keepsRemovals = keepsRemovals
    }

    // The clock may be wrong by years; this is far from overflow.
    private static let lastMoment: Int64 = 1 << 52

    private static func clamped(_ moment: Int64) -> Int64 { min(max(moment, 0), lastMoment) }

    /// The minimum time for which a removal is remembered: 400 days.
    static let removalLifetime: Int64 = 400 * 86_400_000

    /// How far in the future an entry of a file may have been learnt, since clocks differ: a day.
    static let clockTolerance: Int64 = 86_400_000

    /// Returns whether a host must be reached over TLS.
    func requiresTLS(_ name: HSTSName, at now: Int64) -> Bool {
        name.isCovered { host in
            guard let entry = entries[host], !entry.isRemoved, entry.expires > now else { return nil }
            return entry.includesSubdomains
        }
    }

    /// Learns from the field of a response over a verified connection (RFC 6797, 8.1). Returns whether the change is worth saving.
    mutating func note(_ field: StrictTransportSecurity, from name: HSTSName, at now: Int64) -> Bool {
        guard field.maxAge > 0 else { return remove(name, at: now) }
        guard name.isLearnable else { return false }
        let now = Self.clamped(now)
        let age = Int64(field.maxAge) * 1_000
        let known = entries[name.text]
        var entry = Entry(expires: now + age, includesSubdomains: field.includesSubdomains, updated: now)
        if let known {
            // Most responses of a host repeat the field: a slightly later expiry is not worth a write.
            let gain = entry.expires - known.expires
            if !known.isRemoved, known.includesSubdomains == entry.includesSubdomains, gain >= 0,
                gain <= min(age / 100, 3_600_000)
            {
                return false
            }
            entry.updated = max(now, known.updated + 1)
        }
        entries[name.text] = entry
        evictIfNeeded(at: now)
        return true
    }

    /// Removes a host. Returns whether that changed anything.
    mutating func remove(_ name: HSTSName, at now: Int64) -> Bool {
        let known = entries[name.text]
        guard keepsRemovals else { return entries.removeValue(forKey: name.text) != nil }
        guard known?.isRemoved != true, known != nil || name.isLearnable else { return false }
        let now = Self.clamped(now)
        entries[name.text] = Entry(
            expires: max(known?.expires ?? 0, now + Self.removalLifetime), includesSubdomains: false,
            updated: max(now, (known?.updated ?? 0) + 1), isRemoved: true)
        evictIfNeeded(at: now)
        return true
    }

    /// Removes all hosts.
    mutating func removeAll(at now: Int64) {
        for host in entries.keys {
            if let name = HSTSName(host: host) { _ = remove(name, at: now) }
        }
        if !keepsRemovals { entries = [:] }
    }

    /// Replaces all hosts by the given entries, without expired ones and removals.
    mutating func replaceAll(by others: [String: Entry], at now: Int64) {
        removeAll(at: now)
        for (host, var other) in others where other.expires > now && !other.isRemoved {
            other.expires = Self.clamped(other.expires)
            other.updated = max(Self.clamped(now), (entries[host]?.updated ?? 0) + 1)
            entries[host] = other
        }
        evictIfNeeded(at: now)
    }

    /// Merges the entries of others that are newer. Returns whether that changed anything.
    mutating func merge(_ others: [String: Entry], at now: Int64) -> Bool {
        let now = Self.clamped(now)
        var isChanged = false
        for (host, var other) in others where other.expires > now {
            other.expires = Self.clamped(other.expires)
            // An entry from a clock that is far ahead must not take precedence for years: any other entry is newer.
            if other.updated > now + Self.clockTolerance { other.updated = 0 }
            other.updated = Self.clamped(other.updated)
            if let known = entries[host], !other.isNewer(than: known) { continue }
            entries[host] = other
            isChanged = true
        }
        if isChanged { evictIfNeeded(at: now) }
        return isChanged
    }

    /// Removes expired entries.
    mutating func prune(at now: Int64) { entries = entries.filter { $0.value.expires > now } }

    // MARK: Eviction

    /// Once there are more entries than the limit, removes expired ones. If they do not suffice, removes entries down to 15/16 of
    /// the limit: removals first, then the oldest of the owners with the most entries, so that no site displaces others by many
    /// names of its own.
    private mutating func evictIfNeeded(at now: Int64) {
        guard entries.count > limit else { return }
        prune(at: now)
        guard entries.count > limit else { return }
        let target = max(1, limit - limit / 16)
        dropOldest(entries.filter(\.value.isRemoved).map(\.key), downTo: target)
        guard entries.count > target else { return }
        let groups = Dictionary(grouping: entries.keys, by: HSTSName.group)
        // The maximum number of entries for each owner.
        var share = 1
        var upper = limit
        while share < upper {
            let middle = (share + upper + 1) / 2
            if groups.values.reduce(0, { $0 + min($1.count, middle) }) <= target {
                share = middle
            } else {
                upper = middle - 1
            }
        }
        for group in groups.values where group.count > share {
            dropOldest(group, downTo: entries.count - (group.count - share))
        }
        dropOldest(Array(entries.keys), downTo: target)
    }

    private mutating func dropOldest(_ hosts: [String], downTo target: Int) {
        guard entries.count > target else { return }
        // Names break ties, so that the result does not depend on the order of the dictionary.
        let order = hosts.sorted { one, other in
            let (first, second) = (entries[one]?.updated ?? 0, entries[other]?.updated ?? 0)
            return first == second ? one < other : first < second
        }
        for host in order.prefix(entries.count - target) { entries[host] = nil }
    }
}
