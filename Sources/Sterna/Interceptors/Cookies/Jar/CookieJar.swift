public import SternaCore
import Synchronization

/// Keeps the cookies of sessions: a reference that several sessions may share, safe to use from all threads.
///
/// It follows draft-ietf-httpbis-rfc6265bis-22, the successor of RFC 6265. Cookies live in memory.
public final class CookieJar: Sendable {
    /// Decides whether a cookie of a response is stored.
    public typealias Acceptance = @Sendable (_ cookie: Cookie, _ url: HTTPURL) -> Bool

    private let state: Mutex<CookieJarState>
    let suffixes: PublicSuffixList
    private let accepts: Acceptance?
    private let now: @Sendable () -> CookieTime
    // Set before the first cookie, and never cleared: requests of jars that never had one pass the lock by.
    private let mayMatch = Atomic(false)

    /// Whether requests need not ask: there was never a cookie.
    var isUnused: Bool { !mayMatch.load(ordering: .acquiring) }

    /// Makes an empty jar.
    ///
    /// - Parameters:
    ///   - publicSuffixes: the domains that no cookie may be set for.
    ///   - accepts: called with each valid cookie of a response; nil to accept all. A cookie that has expired removes another one.
    public convenience init(
        limits: CookieLimits = CookieLimits(), publicSuffixes: PublicSuffixList = .builtIn, accepts: Acceptance? = nil
    ) {
        self.init(limits: limits, publicSuffixes: publicSuffixes, accepts: accepts) { CookieTime.now }
    }

    init(
        limits: CookieLimits = CookieLimits(), publicSuffixes: PublicSuffixList = .builtIn, accepts: Acceptance? = nil,
        now: @escaping @Sendable () -> CookieTime
    ) {
        state = Mutex(CookieJarState(limits: limits, suffixes: publicSuffixes))
        suffixes = publicSuffixes
        self.accepts = accepts
        self.now = now
    }

    // MARK: Cookies

    /// All cookies that have not expired, in the order in which they were first set.
    public var cookies: [Cookie] {
        let now = now()
        return state.withLock { $0.all(now) }
    }

    /// Returns the cookies that a request to a URL would carry, in their order.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        let now = now()
        return state.withLock { $0.cookies(for: CookieRequest(url: url), now: now) }
    }

    /// Adds a cookie, or replaces the one of the same name, domain and path. One that has expired removes it.
    ///
    /// - Throws: `invalidHeader` for a cookie of all hosts of a public suffix.
    public func set(_ cookie: Cookie) throws(SternaError) {
        let now = now()
        mayMatch.store(true, ordering: .releasing)
        let refusal: CookieRefusal? = state.withLock { state in
            do throws(CookieRefusal) {
                try state.add(cookie, now: now)
                return nil
            } catch {
                return error
            }
        }
        guard let refusal else { return }
        throw SternaError(
            .invalidHeader, phase: .prepare,
            "The cookie “\(FieldSyntax.printable(cookie.name))” cannot be kept: \(refusal.reason).")
    }

    /// Removes the cookie of the same name, domain and path; returns whether there was one.
    @discardableResult
    public func remove(_ cookie: Cookie) -> Bool { state.withLock { $0.remove(cookie) } }

    /// Removes the cookies that a request to a URL would carry, were there no limits; returns their number.
    @discardableResult
    public func removeCookies(for url: HTTPURL) -> Int {
        return remove { cookie in
            (cookie.isHostOnly
                ? cookie.domain == url.host : CookieMatching.isDomain(cookie.domain, of: url.host, url.hostKind))
                && (!cookie.isSecure || url.scheme.isSecure) && CookieMatching.isPath(cookie.path, of: url.path)
        }
    }

    /// Removes the cookies that a predicate selects; returns their number. The predicate must not use the jar.
    @discardableResult
    public func remove(where isRemoved: (Cookie) -> Bool) -> Int {
        let now = now()
        return state.withLock { $0.remove(now: now, where: isRemoved) }
    }

    /// Removes all cookies.
    public func removeAll() { remove { _ in true } }

    /// Removes the cookies that end with the session.
    public func removeSessionCookies() { remove(where: \.isSessionOnly) }

    // MARK: Snapshots

    /// Returns a copy of all cookies that have not expired.
    public func snapshot() -> CookieSnapshot { CookieSnapshot(cookies: cookies) }

    /// Replaces all cookies by those of a snapshot, without what has expired since and what exceeds the limits.
    public func restore(_ snapshot: CookieSnapshot) {
        let now = now()
        mayMatch.store(true, ordering: .releasing)
        state.withLock { $0.restore(snapshot.cookies, now: now) }
    }

    /// Adds the cookies of a snapshot. Of two with the same name, domain and path, the one that was set last stays.
    public func merge(_ snapshot: CookieSnapshot) {
        let now = now()
        mayMatch.store(true, ordering: .releasing)
        state.withLock { $0.merge(snapshot.cookies, now: now) }
    }

    // MARK: Messages

    /// Returns the Cookie field of a request; nil without cookies.
    func field(for request: CookieRequest) -> String? {
        let now = now()
        return state.withLock { $0.field(for: request, now: now) }
    }

    /// Stores the cookies of a response's Set-Cookie lines; returns those that were taken, also what they removed.
    @discardableResult
    func store(_ lines: [[UInt8]], from url: HTTPURL, site: CookieSite? = nil) -> [Cookie] {
        let now = now()
        var taken: [Cookie] = []
        mayMatch.store(true, ordering: .releasing)
        for line in lines {
            guard let field = try? SetCookie(parsing: line[...]),
                let cookie = try? CookieRules.cookie(field, from: url, site: site, suffixes, now: now),
                accepts?(cookie, url) ?? true
            else { continue }
            let isStored = state.withLock { (try? $0.store(cookie, from: url, now: now)) != nil }
            if isStored { taken.append(cookie) }
        }
        return taken
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies.
    public var description: String { "\(state.withLock { $0.count }) cookies" }

    /// Shows the number of cookies alone.
    public var customMirror: Mirror {
        Mirror(self, children: ["count": state.withLock { $0.count }], displayStyle: .class)
    }
}
