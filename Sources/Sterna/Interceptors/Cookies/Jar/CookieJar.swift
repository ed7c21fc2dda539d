import HTTPTypes
public import SternaCore
import Synchronization

/// Keeps the cookies of sessions: a reference that several sessions may share, safe to use from all threads.
///
///     let jar = CookieJar(path: "/home/ada/.cache/app/cookies.json")
///     let api = try Session(baseURL: "https://api.example.com") { $0.cookieJar = jar }
///
/// It follows draft-ietf-httpbis-rfc6265bis-22, the successor of RFC 6265.
///
/// A jar with a file reads it when it is first needed. It saves changes a second after the last one, or five seconds after the first, and
/// when it is released; call ``save()`` before the program ends. Jars and processes may share the file: changes are merged under a
/// lock, and of two that concern one cookie the later one counts. A file that cannot be used, such as one with other content or a symbolic
/// link, is left as it is: the jar then works without it, and ``save()`` throws.
public final class CookieJar: Sendable {
    /// Decides whether a cookie of a response is stored.
    public typealias Acceptance = @Sendable (_ cookie: Cookie, _ url: HTTPURL) -> Bool

    /// The path of the file; nil for a jar in memory.
    public var path: String? { content.format?.file.path }

    let suffixes: PublicSuffixList
    private let content: MergedFile<CookieStorage>
    private let now: @Sendable () -> CookieTime
    private let accepts: Acceptance?
    private let givenIdentity: String?
    private let ownIdentity = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    // Set before the first cookie, and never cleared: requests of jars that never had one pass the lock by.
    private let mayMatch: Atomic<Bool>
    private let lastHeader = Mutex<HTTPField?>(nil)

    /// Whether requests need not ask: there was never a cookie, and there is no file.
    @inline(__always)
    var isUnused: Bool { !mayMatch.load(ordering: .acquiring) }

    /// Makes an empty jar in memory.
    ///
    /// - Parameters:
    ///   - publicSuffixes: the domains that no cookie may be set for.
    ///   - identity: what tells this jar from others in a cache on disk: a jar that is filled from a store of the program's own finds its
    ///     responses again by it. With nil, no other jar finds the responses of this one.
    ///   - accepts: called with each valid cookie of a response; nil to accept all. A cookie that has expired removes another one.
    public convenience init(
        limits: CookieLimits = CookieLimits(), publicSuffixes: PublicSuffixList = .builtIn, identity: String? = nil,
        accepts: Acceptance? = nil
    ) {
        self.init(limits: limits, publicSuffixes: publicSuffixes, givenIdentity: identity, accepts: accepts) {
            CookieTime.now
        }
    }

    /// Makes a jar with a file, which need not exist yet; its folder has to. The file is for its owner alone (mode 0600).
    ///
    /// A JSON file has the times of changes, and the cookies that were removed, so that no change is undone by an older one. A
    /// `cookies.txt` has neither: a save keeps what others have changed in it since the jar read or wrote it last, except where the jar
    /// has changed the same cookie. Comments, lines that are no cookies, and lines of cookies that have not changed stay as they stand.
    ///
    /// - Parameters:
    ///   - format: the form of the file.
    ///   - keepsSessionCookies: whether the file has cookies that end with the session, too; by default they are neither read nor saved.
    ///     All jars of a file should agree.
    ///   - publicSuffixes: the domains that no cookie may be set for.
    ///   - accepts: called with each valid cookie of a response; nil to accept all. A cookie that has expired removes another one.
    public convenience init(
        path: some FileReference, format: CookieSnapshot.FileFormat = .json, limits: CookieLimits = CookieLimits(),
        publicSuffixes: PublicSuffixList = .builtIn, keepsSessionCookies: Bool = false, accepts: Acceptance? = nil
    ) {
        self.init(
            storage: CookieStorage(path: path.pathToRead, format: format, suffixes: publicSuffixes), limits: limits,
            publicSuffixes: publicSuffixes,
            keepsSessionCookies: keepsSessionCookies, accepts: accepts
        ) { CookieTime.now }
    }

    init(
        storage: CookieStorage? = nil, limits: CookieLimits = CookieLimits(),
        publicSuffixes: PublicSuffixList = .builtIn, keepsSessionCookies: Bool = true, givenIdentity: String? = nil,
        accepts: Acceptance? = nil, pauses: SavePauses = SavePauses(), now: @escaping @Sendable () -> CookieTime
    ) {
        let state = CookieJarState(
            limits: limits, suffixes: publicSuffixes, keepsRemovals: storage != nil,
            keepsSessionCookies: keepsSessionCookies)
        var storage = storage
        storage?.now = now
        content = MergedFile("sterna.cookies", storage, pauses: pauses, state: CookieStorage.Content(state: state))
        suffixes = publicSuffixes
        self.givenIdentity = givenIdentity
        self.accepts = accepts
        self.now = now
        mayMatch = Atomic(storage != nil)
    }

    /// Tells jars apart, in caches: a jar with a file by its path, one in memory by what was given, else by itself. Nil for one in memory that
    /// was given nothing and never had a cookie.
    package var identity: [UInt8]? {
        if let storage = content.format { return Array("file \(storage.absolutePath)".utf8) }
        if let givenIdentity { return Array("given \(givenIdentity)".utf8) }
        return isUnused ? nil : Array("memory \(ownIdentity.0) \(ownIdentity.1)".utf8)
    }

    // MARK: The file

    /// Whether requests have to load the file first.
    var isUnread: Bool { !content.isLoaded }

    /// Reads the file, unless that was done. Throws `fileUnreadable`; requests go on without the file then.
    public func load() async throws { try await content.load() }

    /// Saves all changes now, and takes over those of others. What the file cannot have is in ``unsavedCookies`` afterwards.
    ///
    /// - Throws: `fileUnreadable` for a file that is not one of a jar, and `writeFailed`.
    public func save() async throws { try await content.save() }

    // MARK: Access

    private func reading<R: Sendable>(_ body: (CookieJarState, CookieTime) -> R) -> R {
        content.loadNow()
        let now = now()
        return content.withLock { body($0.state, now) }
    }

    /// Changes the cookies, and saves them soon if the closure says so.
    private func change<R: Sendable>(_ body: (inout CookieJarState, CookieTime) -> (R, isChange: Bool)) -> R {
        let now = now()
        mayMatch.store(true, ordering: .releasing)
        return content.change { body(&$0.state, now) }
    }

    // MARK: Cookies

    /// All cookies that have not expired, in the order in which they were first set.
    public var cookies: [Cookie] { reading { $0.all($1) } }

    /// The cookies that the last save left out of the jar's file, since a `cookies.txt` cannot have them (``Cookie/hasTextLine``). They
    /// are lost when the jar is released; JSON has all.
    public var unsavedCookies: [Cookie] { content.withLock { $0.unsaved } }

    /// Returns the cookies that a request to a URL would carry, in their order; for a URL of this machine those of a direct connection.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        cookies(for: url, isSecure: url.scheme.isSecure || url.isOnLoopback)
    }

    func cookies(for url: HTTPURL, isSecure: Bool) -> [Cookie] {
        reading { $0.cookies(for: CookieRequest(url: url, isSecure: isSecure), now: $1) }
    }

    /// Adds a cookie, or replaces the one of the same name, domain and path. One that has expired removes it.
    ///
    /// - Throws: `invalidHeader` for a cookie of all hosts of a public suffix.
    public func set(_ cookie: Cookie) throws(SternaError) {
        content.loadNow()
        let refusal: CookieRefusal? = change { state, now in
            do throws(CookieRefusal) {
                try state.add(cookie, now: now)
                return (nil, true)
            } catch {
                return (error, false)
            }
        }
        guard let refusal else { return }
        throw SternaError(
            .invalidHeader, phase: .prepare,
            "The cookie “\(FieldSyntax.printable(cookie.name))” cannot be kept: \(refusal.reason).")
    }

    /// Removes the cookie of the same name, domain and path; returns whether there was one.
    @discardableResult
    public func remove(_ cookie: Cookie) -> Bool {
        content.loadNow()
        // Also if there was none: another process may have saved one since.
        return change { ($0.remove(cookie, now: $1), true) }
    }

    /// Removes the cookies that a request to a URL would carry, were there no limits; returns their number.
    @discardableResult
    public func removeCookies(for url: HTTPURL) -> Int {
        let isSecure = url.scheme.isSecure || url.isOnLoopback
        return remove { cookie in
            (cookie.isHostOnly
                ? cookie.domain == url.host : CookieMatching.isDomain(cookie.domain, of: url.host, url.hostKind))
                && (!cookie.isSecure || isSecure) && CookieMatching.isPath(cookie.path, of: url.path)
        }
    }

    /// Removes the cookies that a predicate selects; returns their number. The predicate must not use the jar.
    @discardableResult
    public func remove(where isRemoved: (Cookie) -> Bool) -> Int {
        content.loadNow()
        return change { state, now in
            let count = state.remove(now: now, where: isRemoved)
            return (count, count > 0)
        }
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
        content.loadNow()
        change { ($0.restore(snapshot.cookies, now: $1), true) }
    }

    /// Adds the cookies of a snapshot. Of two with the same name, domain and path, the one that was set last stays.
    public func merge(_ snapshot: CookieSnapshot) {
        content.loadNow()
        change { ($0.mergeAfterRemovals(snapshot.cookies, now: $1), true) }
    }

    // MARK: Messages

    // These run on event loops, and leave it to their callers to load the jar before.

    /// Returns the Cookie field of a request; nil without cookies.
    func field(for request: CookieRequest) -> String? {
        let now = now()
        // Which cookies were used last is saved with the next change.
        return content.withLock { $0.state.field(for: request, now: now) }
    }

    /// Returns a Cookie field of a value. Most requests have that of the one before, which need not be checked again.
    func header(_ value: String) -> HTTPField {
        lastHeader.withLock { last in
            if let last, last.value == value { return last }
            // The value of the name alone would be split into a field for each cookie.
            let field = HTTPField(name: .cookie, value: value)
            last = field
            return field
        }
    }

    /// Stores the cookies of a response's Set-Cookie lines; returns those that were taken, also what they removed.
    ///
    /// - Parameter isSecure: whether the connection was secure; nil if the URL's scheme tells.
    @discardableResult
    func store(_ lines: [[UInt8]], from url: HTTPURL, isSecure: Bool? = nil, site: CookieSite? = nil) -> [Cookie] {
        let now = now()
        var taken: [Cookie] = []
        mayMatch.store(true, ordering: .releasing)
        for line in lines {
            guard let field = try? SetCookie(parsing: line[...]),
                let cookie = try? CookieRules.cookie(
                    field, from: url, isSecure: isSecure, site: site, suffixes, now: now),
                accepts?(cookie, url) ?? true
            else { continue }
            let isStored = change { state, now in
                let isStored = (try? state.store(cookie, from: url, isSecure: isSecure, now: now)) != nil
                return (isStored, isStored)
            }
            if isStored { taken.append(cookie) }
        }
        return taken
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies.
    public var description: String { "\(content.withLock { $0.state.count }) cookies" }

    /// Shows the number of cookies alone.
    public var customMirror: Mirror {
        Mirror(self, children: ["count": content.withLock { $0.state.count }], displayStyle: .class)
    }
}
