import HTTPTypes
public import SternaCore
import Synchronization

/// Stores the cookies of sessions. Several sessions may share a jar.
///
///     let jar = CookieJar(path: "/home/ada/.cache/app/cookies.json")
///     let api = try Session(baseURL: "https://api.example.com") { $0.cookies.jar = jar }
///
/// It follows draft-ietf-httpbis-rfc6265bis-22, the successor of RFC 6265.
///
/// A jar with a file reads it at its first use. It saves changes a second after the last one, at most five seconds after the first,
/// and when it is released; call ``save()`` before the program ends. Jars and processes may share the file: changes are merged
/// under a lock, and the later change of a cookie wins. An unusable file, such as a symbolic link or one with other content, is
/// left unchanged: the jar then works without it, and ``save()`` throws.
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
    // Set before the first cookie is stored, and never cleared, so that requests skip the lock while a jar is empty.
    private let mayMatch: Atomic<Bool>
    private let lastHeader = Mutex<HTTPField?>(nil)

    /// Whether requests need not look: no cookie was ever stored, and the jar has no file.
    @inline(__always)
    var isUnused: Bool { !mayMatch.load(ordering: .acquiring) }

    /// Makes a jar, in memory or with a file. A file need not exist; its folder must. Only its owner can read it (mode 0600).
    ///
    /// A JSON file records the times of changes and the removed cookies, so that no older change undoes a later one. A
    /// `cookies.txt` records neither: a save keeps changes that others have made since the jar last read or wrote the file, except
    /// of cookies that the jar has changed, too. Comments, invalid lines, and lines of unchanged cookies are kept byte for byte.
    ///
    /// - Parameters:
    ///   - path: the path or file URL of the file; nil, the default, for an empty jar in memory.
    ///   - format: the format of the file; JSON by default.
    ///   - limits: the limits on the number and length of cookies.
    ///   - keepsSessionCookies: whether session cookies are read and saved, too; false by default. All jars with the same file
    ///     should use the same value.
    ///   - publicSuffixes: the domains for which no cookie may be set; the built-in list by default.
    ///   - identity: identifies a jar in memory in a cache on disk. A program that fills a jar from its own store finds the
    ///     responses stored for it again by the same identity. With nil, the default, responses stored for this jar are found only
    ///     through this jar.
    ///   - accepts: called with each valid cookie of a response, including expired cookies, which remove others; nil accepts all.
    public convenience init(
        path: (any FileReference)? = nil, format: CookieSnapshot.FileFormat = .json,
        limits: CookieLimits = CookieLimits(), publicSuffixes: PublicSuffixList = .builtIn,
        keepsSessionCookies: Bool = false, identity: String? = nil, accepts: Acceptance? = nil
    ) {
        let storage = path.map { CookieStorage(path: $0.pathToRead, format: format, suffixes: publicSuffixes) }
        self.init(
            storage: storage, limits: limits, publicSuffixes: publicSuffixes,
            keepsSessionCookies: keepsSessionCookies || storage == nil, givenIdentity: identity, accepts: accepts
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

    /// Identifies the jar in caches: by the path of its file, by the identity given to a jar in memory, or by a random number. Nil
    /// for a jar in memory without an identity that never had a cookie.
    package var identity: [UInt8]? {
        if let storage = content.format { return Array("file \(storage.absolutePath)".utf8) }
        if let givenIdentity { return Array("given \(givenIdentity)".utf8) }
        return isUnused ? nil : Array("memory \(ownIdentity.0) \(ownIdentity.1)".utf8)
    }

    // MARK: The file

    /// Whether the file must be loaded first.
    var isUnread: Bool { !content.isLoaded }

    /// Reads the file, unless it was read already. Throws `fileUnreadable`; requests then work without the file.
    public func load() async throws { try await content.load() }

    /// Saves all changes now, and merges those of others. Cookies that the file cannot contain are in ``unsavedCookies``
    /// afterwards.
    ///
    /// - Throws: `fileUnreadable` for a file that is not a jar's, and `writeFailed`.
    public func save() async throws { try await content.save() }

    // MARK: Access

    private func reading<R: Sendable>(_ body: (CookieJarState, CookieTime) -> R) -> R {
        content.loadNow()
        let now = now()
        return content.withLock { body($0.state, now) }
    }

    /// Changes the cookies, and schedules a save if the closure has changed them.
    private func change<R: Sendable>(_ body: (inout CookieJarState, CookieTime) -> (R, isChange: Bool)) -> R {
        let now = now()
        mayMatch.store(true, ordering: .releasing)
        return content.change { body(&$0.state, now) }
    }

    // MARK: Cookies

    /// All cookies that have not expired, in the order in which they were first set.
    public var cookies: [Cookie] { reading { $0.all($1) } }

    /// The cookies that the last save left out of the jar's file, since a `cookies.txt` cannot contain them
    /// (``Cookie/hasTextLine``). They are lost when the jar is released; a JSON file contains all.
    public var unsavedCookies: [Cookie] { content.withLock { $0.unsaved } }

    /// Returns the cookies that a request to a URL would carry, in the order of its Cookie field. A loopback URL counts as secure,
    /// as if it were reached directly.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        cookies(for: url, isSecure: url.scheme.isSecure || url.isOnLoopback)
    }

    func cookies(for url: HTTPURL, isSecure: Bool) -> [Cookie] {
        reading { $0.cookies(for: CookieRequest(url: url, isSecure: isSecure), now: $1) }
    }

    /// Adds a cookie, or replaces the one with the same name, domain, path and ``Cookie/isHostOnly``. An expired cookie removes
    /// that one.
    ///
    /// - Throws: `invalidHeader` for a cookie that all hosts of a public suffix would receive.
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

    /// Removes the cookie with the same name, domain, path and ``Cookie/isHostOnly``. Returns whether it existed.
    @discardableResult
    public func remove(_ cookie: Cookie) -> Bool {
        content.loadNow()
        // Recorded even if it does not exist here: another process may have saved one since.
        return change { ($0.remove(cookie, now: $1), true) }
    }

    /// Removes the cookies that a request to a URL would carry, regardless of ``CookieLimits``. Returns their number.
    @discardableResult
    public func removeCookies(for url: HTTPURL) -> Int {
        let isSecure = url.scheme.isSecure || url.isOnLoopback
        return remove { cookie in
            (cookie.isHostOnly
                ? cookie.domain == url.host : CookieMatching.isDomain(cookie.domain, of: url.host, url.hostKind))
                && (!cookie.isSecure || isSecure) && CookieMatching.isPath(cookie.path, of: url.path)
        }
    }

    /// Removes the cookies that match a predicate. Returns their number. The predicate must not use the jar.
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

    /// Removes all session cookies.
    public func removeSessionCookies() { remove(where: \.isSessionOnly) }

    // MARK: Snapshots

    /// Returns a copy of all cookies that have not expired.
    public func snapshot() -> CookieSnapshot { CookieSnapshot(cookies: cookies) }

    /// Replaces all cookies by those of a snapshot, except expired cookies, those of a public suffix, and those beyond the limits.
    public func restore(_ snapshot: CookieSnapshot) {
        content.loadNow()
        change { ($0.restore(snapshot.cookies, now: $1), true) }
    }

    /// Adds the cookies of a snapshot. Of two with the same name, domain, path and ``Cookie/isHostOnly``, the one set last is kept.
    public func merge(_ snapshot: CookieSnapshot) {
        content.loadNow()
        change { ($0.mergeAfterRemovals(snapshot.cookies, now: $1), true) }
    }

    // MARK: Messages

    // These run on event loops: callers must load the jar before.

    /// Returns the Cookie field of a request; nil without cookies.
    func field(for request: CookieRequest) -> String? {
        let now = now()
        // The times of last use are saved with the next change.
        return content.withLock { $0.state.field(for: request, now: now) }
    }

    /// Returns the Cookie field with a value. Most requests have the same value as the previous one, whose field is reused
    /// unchecked.
    func header(_ value: String) -> HTTPField {
        lastHeader.withLock { last in
            if let last, last.value == value { return last }
            // Setting `headers[.cookie]` would split the value into a field for each cookie.
            let field = HTTPField(name: .cookie, value: value)
            last = field
            return field
        }
    }

    /// Stores the cookies of a response's Set-Cookie lines; returns the accepted ones, including expired cookies that removed
    /// others.
    ///
    /// - Parameter isSecure: whether the connection was secure; nil to decide by the URL's scheme.
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

    /// Shows only the number of cookies.
    public var customMirror: Mirror {
        Mirror(self, children: ["count": content.withLock { $0.state.count }], displayStyle: .class)
    }
}

extension CookieJar {
    /// Stores the cookies of a response's header section; returns the accepted ones, including expired cookies that removed others.
    @discardableResult
    func store(
        _ section: FieldSection, from url: HTTPURL, isSecure: Bool? = nil, site: CookieSite? = nil
    ) -> [Cookie] {
        store(section.bytes(of: .setCookie), from: url, isSecure: isSecure, site: site)
    }
}
