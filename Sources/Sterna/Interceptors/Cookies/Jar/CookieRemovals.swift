/// The cookies that were removed from a jar with a file, so that older states of the jar do not bring them back.
///
/// A removal is of all that was set in a place up to its moment: a cookie that was set later may lie in the same place. That is so where
/// it replaced one that would have outlived it.
struct CookieRemovals: Sendable, Hashable {
    /// What tells cookies of a jar apart.
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

    /// The most removals that are remembered, and the most bytes of their names, domains and paths; the latest stay.
    enum Limits {
        static let count = 10_000
        static let bytes = 4 << 20
    }

    /// When each was removed.
    private(set) var times: [Key: CookieTime]
    private var bytes: Int

    init(times: [Key: CookieTime] = [:]) {
        self.times = times
        bytes = times.keys.reduce(0) { $0 + $1.length }
    }

    /// Notes a removal; of two the later one counts.
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

    /// Forgets a removal if a cookie that was set later lives longer than any that was set before.
    ///
    /// - Parameter end: of the later cookie's life.
    mutating func forget(_ key: Key, before end: CookieTime) {
        if let time = times[key], end >= time.advanced(bySeconds: CookieTime.longestLife) { forget(key) }
    }

    /// Drops removals that are older than any cookie can be; if there are too many, then the oldest, down to fifteen sixteenths of the limits.
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
