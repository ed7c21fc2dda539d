import SternaCore

/// The cookies of a jar (draft-ietf-httpbis-rfc6265bis-22, 5.7 and 5.8).
///
/// Cookies are grouped by domain, so that a request searches only those of its host and parent domains. Those of a domain are in
/// the order of the Cookie field. Expired cookies are never sent or listed; they are removed when their domain is used or the jar
/// is full.
struct CookieJarState: Sendable {
    let limits: CookieLimits
    let suffixes: PublicSuffixList

    /// A cookie in the jar.
    struct Entry: Sendable {
        var cookie: Cookie
        /// Increases with each new cookie; breaks ties between creation times.
        let sequence: UInt64

        /// The position in the order of the Cookie field.
        var fieldOrder: FieldOrder {
            FieldOrder(length: cookie.path.utf8.count, creation: cookie.creation, sequence: sequence)
        }

        var age: Age { Age(lastAccess: cookie.lastAccess, sequence: sequence) }
    }

    /// Longer paths come first, then cookies that were set earlier.
    struct FieldOrder: Comparable {
        let length: Int
        let creation: CookieTime
        let sequence: UInt64

        static func < (left: FieldOrder, right: FieldOrder) -> Bool {
            if left.length != right.length { return left.length > right.length }
            return left.creation != right.creation ? left.creation < right.creation : left.sequence < right.sequence
        }
    }

    /// The least recently used cookies are evicted first.
    struct Age: Comparable {
        let lastAccess: CookieTime
        let sequence: UInt64

        static func < (left: Age, right: Age) -> Bool {
            left.lastAccess != right.lastAccess ? left.lastAccess < right.lastAccess : left.sequence < right.sequence
        }
    }

    /// The cookies by their domain.
    var entriesByDomain: [String: [Entry]] {
        _read { yield stored }
        _modify {
            // The change may affect its indices and text.
            lastField = nil
            yield &stored
        }
    }

    private var stored: [String: [Entry]] = [:]
    /// The Cookie field made last, until a cookie is set or removed.
    private(set) var lastField: LastField?
    /// The domains of cookies by their registrable domain.
    private var sites: [String: Set<String>] = [:]
    /// The number of cookies, including expired ones.
    private(set) var count = 0
    /// The removed cookies; nil if removals are not recorded.
    var removals: CookieRemovals?
    /// Whether session cookies are saved to a file.
    let keepsSessionCookies: Bool
    private var nextSequence: UInt64 = 0
    /// No cookie expires before this time.
    private var firstExpiry = CookieTime.latest

    init(
        limits: CookieLimits = CookieLimits(), suffixes: PublicSuffixList = .builtIn, keepsRemovals: Bool = false,
        keepsSessionCookies: Bool = true
    ) {
        (self.limits, self.suffixes, self.keepsSessionCookies) = (limits, suffixes, keepsSessionCookies)
        if keepsRemovals { removals = CookieRemovals() }
    }

    // MARK: The Cookie field

    /// Updates the last use of a field's cookies, and caches the field.
    mutating func use(_ field: LastField, _ now: CookieTime) {
        lastField = field
        useLastField(now)
    }

    /// Updates the last use of the cached field's cookies.
    mutating func useLastField(_ now: CookieTime) {
        guard let sources = lastField?.sources else { return }
        for source in sources {
            for index in source.indices { stored.values[source.domain][index].cookie.lastAccess = now }
        }
        lastField?.lastUse = now
    }

    // MARK: Storing

    /// The result of storing a cookie.
    enum Outcome: Hashable, Sendable {
        case added
        case replaced
        /// It had expired, and the stored cookie that it replaces was removed.
        case removed
    }

    /// Stores the cookie of a Set-Cookie field.
    @discardableResult
    mutating func store(
        _ field: SetCookie, from url: HTTPURL, site: CookieSite? = nil, now: CookieTime
    ) throws(CookieRefusal) -> Outcome {
        try store(CookieRules.cookie(field, from: url, site: site, suffixes, now: now), from: url, now: now)
    }

    /// Stores a cookie that `CookieRules` has made for a URL.
    ///
    /// - Parameter isSecure: whether the connection was secure; nil to decide by the URL's scheme.
    @discardableResult
    mutating func store(
        _ cookie: Cookie, from url: HTTPURL, isSecure: Bool? = nil, now: CookieTime
    ) throws(CookieRefusal) -> Outcome {
        if !cookie.isSecure, !(isSecure ?? url.scheme.isSecure), shadowsSecure(cookie, now) { throw .shadowsSecure }
        return insert(cookie, now: now)
    }

    /// Stores a cookie of the caller or of a file with its own times; its lifetime is limited to 400 days.
    @discardableResult
    mutating func add(_ cookie: Cookie, now: CookieTime) throws(CookieRefusal) -> Outcome {
        if let refusal = CookieRules.refusal(of: cookie) { throw refusal }
        if !cookie.isHostOnly, suffixes.isPublicSuffix(cookie.domain) { throw .publicSuffix }
        return insert(cookie, now: now)
    }

    /// Adds the cookies of a file. Of two with the same key, the one set last is kept.
    mutating func merge(_ cookies: [Cookie], now: CookieTime) {
        for cookie in cookies { merge(cookie, now: now) }
        // Once for all cookies, since eviction scans the whole jar.
        evictSurplus(now)
    }

    /// Adds the caller's cookies like ``merge(_:now:)``, but also those that were removed before.
    mutating func mergeAfterRemovals(_ cookies: [Cookie], now: CookieTime) {
        merge(
            cookies.map { cookie in
                guard let removed = removals?.times[.init(cookie)], removed >= cookie.update else { return cookie }
                var cookie = cookie
                cookie.update = removed.next
                return cookie
            }, now: now)
    }

    private mutating func merge(_ cookie: Cookie, now: CookieTime) {
        var cookie = cookie
        if let known = known(cookie) {
            guard known.update <= cookie.update else {
                noteReplaced(cookie, by: known, now)
                return
            }
            if !known.isExpired(now) { cookie.creation = min(cookie.creation, known.creation) }
            cookie.lastAccess = max(cookie.lastAccess, known.lastAccess)
            if cookie == known { return }
        }
        if let removed = removals?.times[.init(cookie)], removed >= cookie.update { return }
        guard CookieRules.refusal(of: cookie) == nil, cookie.isHostOnly || !suffixes.isPublicSuffix(cookie.domain)
        else {
            return
        }
        put(cookie, now: now, isMerged: true)
    }

    /// Evicts cookies beyond the limit of the whole jar.
    mutating func evictSurplus(_ now: CookieTime) {
        if count > max(limits.total, 0) { evict(to: max(limits.total, 0), now) }
    }

    private mutating func insert(_ cookie: Cookie, now: CookieTime) -> Outcome {
        var cookie = cookie
        if let removals {
            // It must be later than any known change of its key, even within one millisecond.
            for earlier in [removals.times[.init(cookie)], known(cookie)?.update] {
                if let earlier { cookie.update = max(cookie.update, earlier.next) }
            }
        }
        let outcome = put(cookie, now: now)
        evictSurplus(now)
        return outcome
    }

    /// Inserts a cookie among those of its domain, within the limit of a domain.
    ///
    /// - Parameter isMerged: whether it comes from a file: its creation time is kept, and the file lists removals itself.
    @discardableResult
    mutating func put(_ cookie: Cookie, now: CookieTime, isMerged: Bool = false) -> Outcome {
        var cookie = cookie
        if let expiry = cookie.expiry {
            cookie.expiry = min(expiry, now.advanced(bySeconds: CookieTime.longestLife))
        }
        let old = remove(replacedBy: cookie)
        let oldIsAlive = old.map { !$0.cookie.isExpired(now) } ?? false
        if let old { noteReplaced(old.cookie, by: cookie, now) }
        if cookie.isExpired(now) {
            if !isMerged { removals?.note(.init(cookie), at: cookie.update, now: now) }
            return .removed
        }
        if removals != nil {
            let end = savedEnd(cookie)
            removals?.forget(.init(cookie), before: end)
        }
        var sequence = nextSequence
        if let old, oldIsAlive {
            if !isMerged { cookie.creation = old.cookie.creation }
            sequence = old.sequence
        } else {
            nextSequence += 1
        }
        put(Entry(cookie: cookie, sequence: sequence))
        if (entriesByDomain[cookie.domain]?.count ?? 0) > max(limits.perDomain, 0) {
            evict(from: cookie.domain, to: max(limits.perDomain, 0), now)
        }
        return oldIsAlive ? .replaced : .added
    }

    private mutating func put(_ entry: Entry) {
        let domain = entry.cookie.domain
        count += 1
        if let expiry = entry.cookie.expiry { firstExpiry = min(firstExpiry, expiry) }
        guard let index = entriesByDomain.index(forKey: domain) else {
            entriesByDomain[domain] = [entry]
            sites[suffixes.registrableDomain(of: domain) ?? domain, default: []].insert(domain)
            return
        }
        let order = entry.fieldOrder
        var (low, high) = (0, entriesByDomain.values[index].count)
        while low < high {
            let middle = low + (high - low) / 2
            if order < entriesByDomain.values[index][middle].fieldOrder { high = middle } else { low = middle + 1 }
        }
        entriesByDomain.values[index].insert(entry, at: low)
    }

    /// Records the removal of a replaced cookie if it would expire after its replacement: once the replacement has expired, a
    /// process that never saw it must not add the older cookie again.
    private mutating func noteReplaced(_ old: Cookie, by cookie: Cookie, _ now: CookieTime) {
        guard removals != nil, old.update < cookie.update, savedEnd(old) > savedEnd(cookie) else { return }
        removals?.note(.init(old), at: old.update, now: now)
    }

    /// Returns when a cookie disappears from a file.
    private func savedEnd(_ cookie: Cookie) -> CookieTime {
        cookie.expiry ?? (keepsSessionCookies ? .latest : .earliest)
    }

    mutating func remove(replacedBy cookie: Cookie) -> Entry? {
        guard let domain = entriesByDomain.index(forKey: cookie.domain),
            let index = entriesByDomain.values[domain].firstIndex(where: { cookie.replaces($0.cookie) })
        else { return nil }
        let entry = entriesByDomain.values[domain].remove(at: index)
        count -= 1
        clear(cookie.domain)
        return entry
    }

    /// Returns the stored cookie with the same key.
    private func known(_ cookie: Cookie) -> Cookie? {
        entriesByDomain[cookie.domain]?.first { cookie.replaces($0.cookie) }?.cookie
    }

    /// Returns the cookie with a key.
    func cookie(with key: CookieRemovals.Key) -> Cookie? {
        entriesByDomain[key.domain]?.first { CookieRemovals.Key($0.cookie) == key }?.cookie
    }

    /// Removes a domain without cookies.
    private mutating func clear(_ domain: String) {
        guard entriesByDomain[domain]?.isEmpty == true else { return }
        entriesByDomain[domain] = nil
        let site = suffixes.registrableDomain(of: domain) ?? domain
        sites[site]?.remove(domain)
        if sites[site]?.isEmpty == true { sites[site] = nil }
    }

    // MARK: Secure cookies

    /// Returns whether a cookie from an insecure connection would replace or shadow one with `Secure` (5.7, step 16).
    private func shadowsSecure(_ cookie: Cookie, _ now: CookieTime) -> Bool {
        var found = false
        forEachDomain(of: cookie.domain) { domain in
            found = found || hasSecure(like: cookie, in: domain, now)
        }
        if found { return true }
        guard let site = suffixes.registrableDomain(of: cookie.domain) else {
            // A public suffix with cookies of its own host has no registrable domain to look up, so all domains are searched.
            return entriesByDomain.keys.contains { domain in
                CookieMatching.isWithin(domain, cookie.domain) && hasSecure(like: cookie, in: domain, now)
            }
        }
        return sites[site]?.contains { domain in
            CookieMatching.isWithin(domain, cookie.domain) && hasSecure(like: cookie, in: domain, now)
        } ?? false
    }

    private func hasSecure(like cookie: Cookie, in domain: String, _ now: CookieTime) -> Bool {
        entriesByDomain[domain]?.contains { entry in
            entry.cookie.isSecure && !entry.cookie.isExpired(now)
                && entry.cookie.name.utf8.elementsEqual(cookie.name.utf8)
                && CookieMatching.isPath(entry.cookie.path, of: cookie.path)
        } ?? false
    }

    /// Calls a closure with a host and each of its parent domains.
    private func forEachDomain(of host: String, _ call: (String) -> Void) {
        guard host.utf8.count <= CookieMatching.longestHost else { return }
        call(host)
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { call(String(Substring(rest))) }
        }
    }

    // MARK: Removing

    /// Removes the cookies that match a predicate; returns their number without expired ones.
    @discardableResult
    mutating func remove(now: CookieTime, where isRemoved: (Cookie) -> Bool) -> Int {
        var removed = 0
        for domain in Array(entriesByDomain.keys) {
            removed += remove(from: domain, now, where: isRemoved)
        }
        return removed
    }

    /// Removes the cookies of a domain that have expired or match a predicate.
    @discardableResult
    private mutating func remove(from domain: String, _ now: CookieTime, where isRemoved: (Cookie) -> Bool) -> Int {
        guard let index = entriesByDomain.index(forKey: domain) else { return 0 }
        var removed: [Cookie] = []
        let before = entriesByDomain.values[index].count
        entriesByDomain.values[index].removeAll { entry in
            if entry.cookie.isExpired(now) { return true }
            guard isRemoved(entry.cookie) else { return false }
            removed.append(entry.cookie)
            return true
        }
        count -= before - entriesByDomain.values[index].count
        clear(domain)
        if removals != nil {
            for cookie in removed { removals?.note(.init(cookie), at: max(now, cookie.update.next), now: now) }
        }
        return removed.count
    }

    /// Removes the stored cookie with the same key; returns whether it existed.
    @discardableResult
    mutating func remove(_ cookie: Cookie, now: CookieTime) -> Bool {
        let known = remove(replacedBy: cookie)
        removals?.note(.init(cookie), at: max(now, (known?.cookie.update ?? now).next), now: now)
        return known != nil
    }

    // MARK: Evicting

    /// Removes expired cookies of a domain, then those without `Secure`, then others, the least recently used first.
    private mutating func evict(from domain: String, to limit: Int, _ now: CookieTime) {
        remove(from: domain, now) { _ in false }
        while let entries = entriesByDomain[domain], entries.count > limit {
            let insecure = entries.indices.filter { !entries[$0].cookie.isSecure }
            let candidates = insecure.isEmpty ? Array(entries.indices) : insecure
            guard let oldest = candidates.min(by: { entries[$0].age < entries[$1].age }) else { break }
            entriesByDomain[domain]?.remove(at: oldest)
            count -= 1
        }
        clear(domain)
    }

    /// Removes expired cookies, then the least recently used ones.
    private mutating func evict(to limit: Int, _ now: CookieTime) {
        removeExpired(now)
        guard count > limit else { return }
        if count - limit == 1 {
            removeOldest()
            return
        }
        let all = entriesByDomain.values.joined().sorted { $0.age < $1.age }.prefix(count - limit)
        remove(Set(all.map(\.sequence)), from: Set(all.map(\.cookie.domain)))
    }

    private mutating func removeOldest() {
        var oldest: (age: Age, domain: String)?
        for (domain, entries) in entriesByDomain {
            for index in entries.indices {
                let age = entries[index].age
                if oldest.map({ age < $0.age }) ?? true { oldest = (age, domain) }
            }
        }
        if let oldest { remove([oldest.age.sequence], from: [oldest.domain]) }
    }

    private mutating func remove(_ sequences: Set<UInt64>, from domains: Set<String>) {
        for domain in domains {
            guard let index = entriesByDomain.index(forKey: domain) else { continue }
            let before = entriesByDomain.values[index].count
            entriesByDomain.values[index].removeAll { sequences.contains($0.sequence) }
            count -= before - entriesByDomain.values[index].count
            clear(domain)
        }
    }

    /// Removes all cookies that have expired.
    private mutating func removeExpired(_ now: CookieTime) {
        guard firstExpiry <= now else { return }
        firstExpiry = .latest
        for domain in Array(entriesByDomain.keys) {
            remove(from: domain, now) { _ in false }
            for entry in entriesByDomain[domain] ?? [] {
                firstExpiry = min(firstExpiry, entry.cookie.expiry ?? .latest)
            }
        }
    }
}
