import SternaCore

/// The hosts that are reached by TLS only (RFC 6797), as a value. Moments are milliseconds since 1970.
struct HSTSState: Sendable, Hashable {
    /// What is known of a host.
    struct Entry: Sendable, Hashable {
        /// When it is forgotten.
        var expires: Int64
        var includesSubdomains: Bool

        /// When it was learnt; of two entries for a host the later one counts.
        var updated: Int64

        /// Whether it says that the host was forgotten, for others that still know it.
        var isRemoved = false

        /// Whether it counts more than another one for the same host. Of two of the same moment, the one that protects more does.
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

    /// Whether removed hosts are remembered, so that older files do not bring them back.
    let keepsRemovals: Bool

    init(limit: Int = 10_000, keepsRemovals: Bool = false) {
        self.limit = max(1, limit)
        self.keepsRemovals = keepsRemovals
    }

    // The clock may be wrong by years; this is far from the ends of the numbers.
    private static let lastMoment: Int64 = 1 << 52

    private static func clamped(_ moment: Int64) -> Int64 { min(max(moment, 0), lastMoment) }

    /// How long a removal is remembered at least: 400 days.
    static let removalLifetime: Int64 = 400 * 86_400_000

    /// How much later than a moment a file's entry may have been learnt, for clocks that differ: a day.
    static let clockTolerance: Int64 = 86_400_000

    /// Whether a host is to be reached by TLS only.
    func requiresTLS(_ name: HSTSName, at now: Int64) -> Bool {
        name.isCovered { host in
            guard let entry = entries[host], !entry.isRemoved, entry.expires > now else { return nil }
            return entry.includesSubdomains
        }
    }

    /// Learns from the field of a response that came over a verified connection (RFC 6797, 8.1). Returns whether that changed
    /// anything worth saving.
    mutating func note(_ field: StrictTransportSecurity, from name: HSTSName, at now: Int64) -> Bool {
        guard field.maxAge > 0 else { return remove(name, at: now) }
        guard name.isLearnable else { return false }
        let now = Self.clamped(now)
        let age = Int64(field.maxAge) * 1_000
        let known = entries[name.text]
        var entry = Entry(expires: now + age, includesSubdomains: field.includesSubdomains, updated: now)
        if let known {
            // A host says the same with each response: a little later is not worth a write.
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

    /// Forgets a host. Returns whether that changed anything.
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

    /// Forgets all hosts.
    mutating func removeAll(at now: Int64) {
        for host in entries.keys {
            if let name = HSTSName(host: host) { _ = remove(name, at: now) }
        }
        if !keepsRemovals { entries = [:] }
    }

    /// Forgets all hosts but those of other entries that have not expired.
    mutating func replaceAll(by others: [String: Entry], at now: Int64) {
        removeAll(at: now)
        for (host, var other) in others where other.expires > now && !other.isRemoved {
            other.expires = Self.clamped(other.expires)
            other.updated = max(Self.clamped(now), (entries[host]?.updated ?? 0) + 1)
            entries[host] = other
        }
        evictIfNeeded(at: now)
    }

    /// Takes over what others know, where it is newer. Returns whether that changed anything.
    mutating func merge(_ others: [String: Entry], at now: Int64) -> Bool {
        let now = Self.clamped(now)
        var isChanged = false
        for (host, var other) in others where other.expires > now {
            other.expires = Self.clamped(other.expires)
            // A clock that is far ahead must not make its entries win for years: they count where nothing else is known.
            if other.updated > now + Self.clockTolerance { other.updated = 0 }
            other.updated = Self.clamped(other.updated)
            if let known = entries[host], !other.isNewer(than: known) { continue }
            entries[host] = other
            isChanged = true
        }
        if isChanged { evictIfNeeded(at: now) }
        return isChanged
    }

    /// Drops entries that have expired.
    mutating func prune(at now: Int64) { entries = entries.filter { $0.value.expires > now } }

    // MARK: Eviction

    /// Drops entries down to fifteen sixteenths of the limit once there are more than it: expired ones, removals, then the oldest
    /// of those owners that have the most, so that no site displaces the entries of others by names of its own.
    private mutating func evictIfNeeded(at now: Int64) {
        guard entries.count > limit else { return }
        prune(at: now)
        guard entries.count > limit else { return }
        let target = max(1, limit - limit / 16)
        dropOldest(entries.filter(\.value.isRemoved).map(\.key), downTo: target)
        guard entries.count > target else { return }
        let groups = Dictionary(grouping: entries.keys, by: HSTSName.group)
        // The most entries that each owner may keep.
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
        // Names break ties, so that the result does not depend on the order of the table.
        let order = hosts.sorted { one, other in
            let (first, second) = (entries[one]?.updated ?? 0, entries[other]?.updated ?? 0)
            return first == second ? one < other : first < second
        }
        for host in order.prefix(entries.count - target) { entries[host] = nil }
    }
}
