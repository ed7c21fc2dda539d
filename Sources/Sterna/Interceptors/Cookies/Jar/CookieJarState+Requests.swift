import SternaCore

/// The properties of a request that decide about its cookies.
struct CookieRequest: Sendable {
    let url: HTTPURL
    /// Whether the connection is secure; nil to decide by the URL's scheme.
    var isSecure: Bool?
    /// The site for which it is made; nil for its own site.
    var site: CookieSite?
    /// Whether its method is safe (RFC 9110, 9.2.1), which matters for cross-site requests.
    var isSafe = true
    /// The cookies that the caller has set, which replace the jar's cookies with the same names.
    var caller = CallerCookies()
}

extension CookieJarState {
    /// A cookie of a request.
    private struct Match {
        /// The index of its domain among those of the request, and its index there.
        let domain: Int
        let index: Int
        let fieldOrder: FieldOrder
        /// Its length in the Cookie field.
        let length: Int
    }

    /// The cookies of a request, in the order of its Cookie field.
    private struct Matches {
        var domains: [Dictionary<String, [Entry]>.Index] = []
        var cookies: [Match] = []
        /// The length of the Cookie field.
        var length = 0
        /// Whether the request's path is irrelevant: all cookies of its host and parent domains are for all paths.
        var areForAllPaths = true
        /// When the first of these cookies expires.
        var expiry = CookieTime.latest
    }

    /// Returns the Cookie field of a request, and updates the last use of its cookies; nil without cookies.
    mutating func field(for request: CookieRequest, now: CookieTime) -> String? {
        guard count > 0 else { return nil }
        if lastField?.isField(of: request, now) == true {
            if lastField?.lastUse != now { useLastField(now) }
            return lastField?.text
        }
        let found = matches(request, now)
        guard !found.cookies.isEmpty else { return nil }
        // Each domain is looked up once, since a lookup for each cookie would dominate the cost.
        let entries = found.domains.map { entriesByDomain.values[$0] }
        // 5.8.3, step 4.
        var text: [UInt8] = []
        text.reserveCapacity(found.length)
        var indices: [[Int]] = found.domains.map { _ in [] }
        for match in found.cookies {
            if !text.isEmpty { text.append(contentsOf: "; ".utf8) }
            // Only name and value: a copy of the cookie would retain all its strings.
            let name = entries[match.domain][match.index].cookie.name
            if !name.isEmpty {
                text.append(contentsOf: name.utf8)
                text.append(UInt8(ascii: "="))
            }
            text.append(contentsOf: entries[match.domain][match.index].cookie.value.utf8)
            indices[match.domain].append(match.index)
        }
        let field = LastField(
            String(decoding: text, as: UTF8.self), of: request, isForAllPaths: found.areForAllPaths,
            sources: zip(found.domains, indices).map { LastField.Source(domain: $0, indices: $1) }, made: now,
            expiry: found.expiry)
        use(field, now)
        return field.text
    }

    /// Returns the cookies of a request in the order of its Cookie field, without updating their last use.
    func cookies(for request: CookieRequest, now: CookieTime) -> [Cookie] {
        let found = matches(request, now)
        return found.cookies.map { entriesByDomain.values[found.domains[$0.domain]][$0.index].cookie }
    }

    /// Finds the cookies of a request, within the limits of a Cookie field.
    private func matches(_ request: CookieRequest, _ now: CookieTime) -> Matches {
        let url = request.url
        let host = url.host
        var found = Matches()
        guard host.utf8.count <= CookieMatching.longestHost else { return found }
        let context = CookieContext(
            isSecure: request.isConnectionSecure,
            isForeign: request.site.map { !$0.contains(url, suffixes: suffixes) } ?? false,
            isLaxAllowed: request.isSafe && request.site?.isNavigation == true, now: now)
        var isSorted = true
        var target = url.requestTarget
        target.withUTF8 { target in
            let path = target.prefix { $0 != UInt8(ascii: "?") }
            var rest = host.utf8[...]
            var isHost = true
            while !rest.isEmpty {
                if let index = entriesByDomain.index(forKey: isHost ? host : String(Substring(rest))) {
                    let before = found.cookies.count
                    Self.collect(
                        entriesByDomain.values[index], found.domains.count, context, isHost: isHost, path: path,
                        &found)
                    if found.cookies.count > before {
                        found.domains.append(index)
                        if before > 0 { isSorted = false }
                    }
                }
                // An address has no parent domains.
                guard url.hostKind == .domain, let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { break }
                rest = rest[rest.index(after: dot)...]
                isHost = false
            }
        }
        if !isSorted { found.cookies.sort { $0.fieldOrder < $1.fieldOrder } }
        if request.caller.count > 0 {
            found.cookies.removeAll { match in
                request.caller.names.contains(
                    entriesByDomain.values[found.domains[match.domain]][match.index].cookie.name)
            }
        }
        limit(&found, beside: request.caller)
        return found
    }

    private static func collect(
        _ entries: [Entry], _ domain: Int, _ context: CookieContext, isHost: Bool,
        path: Slice<UnsafeBufferPointer<UInt8>>, _ found: inout Matches
    ) {
        if found.cookies.isEmpty { found.cookies.reserveCapacity(entries.count) }
        for index in entries.indices where context.allows(entries[index].cookie, isHost: isHost) {
            if let expiry = entries[index].cookie.expiry { found.expiry = min(found.expiry, expiry) }
            if entries[index].cookie.path.utf8.count != 1 {
                found.areForAllPaths = false
                guard CookieMatching.isPath(entries[index].cookie.path, of: path) else { continue }
            }
            found.cookies.append(
                Match(
                    domain: domain, index: index, fieldOrder: entries[index].fieldOrder,
                    length: entries[index].cookie.fieldLength))
        }
    }

    /// Drops the cookies that exceed the limits of the Cookie field, together with the caller's.
    private func limit(_ found: inout Matches, beside caller: CallerCookies) {
        let most = limits.fieldLength - (caller.count > 0 ? caller.length + 2 : 0)
        let mostCookies = limits.perRequest - caller.count
        for position in found.cookies.indices {
            let more = found.cookies[position].length + (position > 0 ? 2 : 0)
            guard position < mostCookies, found.length + more <= most else {
                found.cookies.removeSubrange(position...)
                return
            }
            found.length += more
        }
    }
}

extension CookieJarState {
    /// The last Cookie field, and the requests to which it applies until a cookie is set or removed: most requests of a program go
    /// to one server.
    struct LastField: Sendable {
        /// The cookies of one domain in the field.
        struct Source: Sendable {
            let domain: Dictionary<String, [Entry]>.Index
            let indices: [Int]
        }

        let text: String
        /// Where its cookies are.
        let sources: [Source]
        /// When its cookies were used last.
        var lastUse: CookieTime
        private let authority: String
        private let isSecure: Bool
        private let isForOthers: Bool
        private let made: CookieTime
        private let expiry: CookieTime

        init(
            _ text: String, of request: CookieRequest, isForAllPaths: Bool, sources: [Source], made: CookieTime,
            expiry: CookieTime
        ) {
            (self.text, self.sources, self.made, self.expiry, lastUse) = (text, sources, made, expiry, made)
            (authority, isSecure) = (request.url.authority, request.isConnectionSecure)
            isForOthers = isForAllPaths && request.dependsOnConnectionAlone
        }

        /// Returns whether the field applies to a request now. It does not if the clock was set back, since expired cookies may be
        /// valid again.
        func isField(of request: CookieRequest, _ now: CookieTime) -> Bool {
            isForOthers && made <= now && now < expiry && isSecure == request.isConnectionSecure
                && request.dependsOnConnectionAlone && authority == request.url.authority
        }
    }
}

extension CookieRequest {
    fileprivate var isConnectionSecure: Bool { isSecure ?? url.scheme.isSecure }

    /// Whether its cookies depend neither on a site nor on cookies of the caller.
    fileprivate var dependsOnConnectionAlone: Bool { site == nil && caller.count == 0 }
}

/// The conditions, in addition to host and path, under which a request carries a cookie (5.8.3).
private struct CookieContext {
    let isSecure: Bool
    /// Whether the request is cross-site.
    let isForeign: Bool
    /// Whether the cross-site request carries cookies with `SameSite=Lax`.
    let isLaxAllowed: Bool
    let now: CookieTime

    func allows(_ cookie: borrowing Cookie, isHost: Bool) -> Bool {
        if cookie.isHostOnly, !isHost { return false }
        if cookie.isSecure, !isSecure { return false }
        if let expiry = cookie.expiry, expiry <= now { return false }
        guard isForeign else { return true }
        switch cookie.sameSite {
        case .some(.none): return true
        case .strict: return false
        case .lax, nil: return isLaxAllowed
        }
    }
}

// MARK: Lists

extension CookieJarState {
    /// All cookies that have not expired, in the order in which they were first set.
    func all(_ now: CookieTime) -> [Cookie] {
        entriesByDomain.values.joined().filter { !$0.cookie.isExpired(now) }
            .sorted { ($0.cookie.creation, $0.sequence) < ($1.cookie.creation, $1.sequence) }.map(\.cookie)
    }

    /// Replaces all cookies; leaves out those that the jar rejects.
    mutating func restore(_ cookies: [Cookie], now: CookieTime) {
        remove(now: now) { _ in true }
        for cookie in cookies { _ = try? add(cookie, now: now) }
    }
}
