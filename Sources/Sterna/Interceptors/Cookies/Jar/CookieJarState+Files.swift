extension CookieJarState {
    /// How far in the future a file's cookie may have been set, since clocks differ, in seconds: a day.
    private static let clockTolerance: Int64 = 86_400

    /// Merges the cookies and removals of a file that are newer.
    mutating func merge(_ file: CookieFile, now: CookieTime) {
        // Changes from a clock that is far ahead must not win for years: any other change takes precedence.
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

    /// Drops the removals that an earlier state already had.
    mutating func forgetRemovals(of earlier: CookieJarState) {
        guard let known = earlier.removals?.times else { return }
        removals = removals.map { CookieRemovals(times: $0.times.filter { known[$0.key] != $0.value }) }
    }

    /// Returns the content to write to a file.
    func file(now: CookieTime) -> CookieFile {
        var removals = removals ?? CookieRemovals()
        removals.prune(now)
        return CookieFile(cookies: all(now).filter { keepsSessionCookies || !$0.isSessionOnly }, removals: removals)
    }
}

// MARK: cookies.txt

/// The content of a `cookies.txt` when it was last read or written. The next save needs it to distinguish the jar's own changes
/// from those of others, since lines have no times and removals leave no line.
struct CookieLines: Sendable {
    struct Known: Sendable {
        let line: String
        /// When the jar's cookie of this line was set; nil if the jar has a different cookie, or none.
        let update: CookieTime?
    }

    var known: [CookieRemovals.Key: Known] = [:]

    init() {}

    /// Makes the lines of the jar's cookies.
    init(_ cookies: [Cookie]) {
        for cookie in cookies {
            known[.init(cookie)] = Known(line: CookieLine.content(cookie), update: cookie.update)
        }
    }
}

extension CookieJarState {
    /// Merges changes that others have made in a `cookies.txt` since it was last read, except of cookies that the jar has changed.
    mutating func merge(lines cookies: [Cookie], since former: inout CookieLines, now: CookieTime) {
        // Of several lines with the same key, the last counts.
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
                // `put` may record the replaced cookie as removed, but the jar itself has not removed it.
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
