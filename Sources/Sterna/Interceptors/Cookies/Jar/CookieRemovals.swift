/// The cookies removed from a jar with a file, so that older states of the jar do not add them again.
///
/// A removal applies to all cookies with its key that were set up to its time. A cookie with the same key may have been set later,
/// for example one that replaced a cookie with a later expiry.
struct CookieRemovals: Sendable, Hashable {
    /// Identifies a cookie in a jar.
    struct Key: Sendable, Hashable {
        let name: String
        let domain: String
        let path: String
        let isHostOnly: Bool

        init(_ cookie: Cookie) {
            (name, domain, path, isHostOnly) = (cookie.name, cookie.domain, cookie.path, cookie.isHostOnly)
        }

        init(name: String, domain: String, path: String, isHostOnly: Bool) {
            (self.name, self.domain, self.path, self.isHostOnly) = (name, domain, path, isHostOnly)
        }

        fileprivate var length: Int { name.utf8.count + domain.utf8.count + path.utf8.count }
    }

    /// The maximum number of removals, and of the bytes of their names, domains and paths; the latest removals are kept.
    enum Limits {
        static let count = 10_000
        static let bytes = 4 << 20
    }

    /// The times of the removals.
    private(set) var times: [Key: CookieTime]
    private var bytes: Int

    init(times: [Key: CookieTime] = [:]) {
        self.times = times
        bytes = times.keys.reduce(0) { $0 + $1.length }
    }

    /// Records a removal; of two with the same key, the later one counts.
    mutating func note(_ key: Key, at time: CookieTime, now: CookieTime) {
        if let known = times.updateValue(time, forKey: key) {
            if known > time { times[key] = known }
        } else {
            bytes += key.length
        }
        if times.count > Limits.count || bytes > Limits.bytes { prune(now) }
    }

    mutating func forget(_ key: Key) {
        if times.removeValue(forKey: key) != nil { bytes -= key.length }
    }

    /// Drops a removal if a cookie set later expires after all cookies that were set before the removal.
    ///
    /// - Parameter end: the later cookie's expiry.
    mutating func forget(_ key: Key, before end: CookieTime) {
        if let time = times[key], end >= time.advanced(bySeconds: CookieTime.longestLife) { forget(key) }
    }

    /// Drops removals that are older than the longest lifetime of a cookie. Beyond the limits it drops the oldest ones, down to
    /// 15/16 of the limits.
    mutating func prune(_ now: CookieTime) {
        let oldest = now.advanced(bySeconds: -CookieTime.longestLife)
        if times.values.contains(where: { $0 <= oldest }) {
            self = CookieRemovals(times: times.filter { $0.value > oldest })
        }
        guard times.count > Limits.count || bytes > Limits.bytes else { return }
        var kept: [Key: CookieTime] = [:]
        var rest = Limits.bytes - Limits.bytes / 16
        for (key, time) in times.sorted(by: { $0.value > $1.value }).prefix(Limits.count - Limits.count / 16) {
            rest -= key.length
            guard rest >= 0 else { break }
            kept[key] = time
        }
        self = CookieRemovals(times: kept)
    }
}
