extension CookieJarState {
    /// How much later than now a file's cookie may have been set, for clocks that differ: a day.
    private static let clockTolerance: Int64 = 86_400

    /// Takes over what a file knows, where it is newer: cookies, and removals of them.
    mutating func merge(_ file: CookieFile, now: CookieTime) {
        // A clock that is far ahead must not make its changes win for years: they count where nothing else is known.
        let latest = now.advanced(bySeconds: Self.clockTolerance)
        for (key, time) in file.removals.times where time <= latest {
            if let known = cookie(with: key), known.update <= time { _ = remove(replacedBy: known) }
            removals?.note(key, at: time, now: now)
        }
        merge(
            file.cookies.map { cookie in
                var cookie = cookie
                if cookie.update > latest { cookie.update = .earliest }
                return cookie
            }, now: now)
    }

    /// Forgets the removals that an earlier state had, too.
    mutating func forgetRemovals(of earlier: CookieJarState) {
        guard let known = earlier.removals?.times else { return }
        removals = removals.map { CookieRemovals(times: $0.times.filter { known[$0.key] != $0.value }) }
    }

    /// Returns what a file gets.
    func file(now: CookieTime) -> CookieFile {
        var removals = removals ?? CookieRemovals()
        removals.prune(now)
        return CookieFile(cookies: all(now).filter { keepsSessionCookies || !$0.isSessionOnly }, removals: removals)
    }
}

// MARK: cookies.txt

/// What a `cookies.txt` had when it was read or written last, so that the next save can tell the jar's own changes from those of others:
/// its lines have no times, and no line says that a cookie was removed.
struct CookieLines: Sendable {
    struct Known: Sendable {
        let line: String
        /// When the jar's cookie of this line was set; nil if the jar has another one, or none.
        let update: CookieTime?
    }

    var known: [CookieRemovals.Key: Known] = [:]

    init() {}

    /// Remembers the lines of cookies of the jar.
    init(_ cookies: [Cookie]) {
        for cookie in cookies {
            known[.init(cookie)] = Known(line: CookieLine.content(cookie), update: cookie.update)
        }
    }
}

extension CookieJarState {
    /// Takes over what others have changed in a `cookies.txt` since it was read last, except where the jar has a change of its own.
    mutating func merge(lines cookies: [Cookie], since former: inout CookieLines, now: CookieTime) {
        // The last of several lines for one key counts.
        var latest: [CookieRemovals.Key: Cookie] = [:]
        for cookie in cookies { latest[.init(cookie)] = cookie }
        var lines = CookieLines()
        for cookie in cookies {
            let key = CookieRemovals.Key(cookie)
            guard lines.known[key] == nil, var cookie = latest[key] else { continue }
            let line = CookieLine.content(cookie)
            let known = self.cookie(with: key)
            let old = former.known[key]
            let isOwn = removals?.times[key] != nil || (known != nil && known?.update != old?.update)
            if !isOwn, old?.line != line, cookie.isHostOnly || !suffixes.isPublicSuffix(cookie.domain) {
                if let known { cookie.update = max(now, known.update.next) }
                put(cookie, now: now)
                // It was not the jar that removed what the line replaces.
                removals?.forget(key)
            }
            lines.known[key] = .init(line: line, update: isOwn ? nil : self.cookie(with: key)?.update)
        }
        for (key, old) in former.known where lines.known[key] == nil && removals?.times[key] == nil {
            if let known = cookie(with: key), known.update == old.update { _ = remove(replacedBy: known) }
        }
        evictSurplus(now)
        former = lines
    }
}
