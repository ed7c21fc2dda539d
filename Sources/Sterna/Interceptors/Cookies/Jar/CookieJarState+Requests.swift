import SternaCore

/// A request for which a jar has cookies.
struct CookieRequest: Sendable {
    let url: HTTPURL
    /// The site for which it is made; nil for its own.
    var site: CookieSite?
    /// Whether its method is safe (RFC 9110, 9.2.1), which matters for requests of another site.
    var isSafe = true
}

extension CookieJarState {
    /// Where a cookie of a request lies.
    private struct Match {
        let shelf: Dictionary<String, [Entry]>.Index
        let index: Int
    }

    /// Returns the Cookie field of a request, and notes that its cookies were used; nil without cookies.
    mutating func field(for request: CookieRequest, now: CookieTime) -> String? {
        guard count > 0 else { return nil }
        let matches = matches(request, now)
        guard !matches.isEmpty else { return nil }
        var field = ""
        for match in matches {
            shelves.values[match.shelf][match.index].cookie.lastAccess = now
            shelves.values[match.shelf][match.index].cookie.write(to: &field)
        }
        return field
    }

    /// Returns the cookies of a request in the order of its Cookie field; that is no use of them.
    func cookies(for request: CookieRequest, now: CookieTime) -> [Cookie] {
        matches(request, now).map { shelves.values[$0.shelf][$0.index].cookie }
    }

    /// Finds the cookies of a request, within the limits of a Cookie field.
    private func matches(_ request: CookieRequest, _ now: CookieTime) -> [Match] {
        let url = request.url
        let host = url.host
        guard host.utf8.count <= CookieMatching.longestHost else { return [] }
        let isSecure = url.scheme.isSecure
        let isForeign = request.site.map { !$0.contains(url, suffixes) } ?? false
        let isLaxAllowed = request.isSafe && request.site?.isNavigation == true
        let path = CookieMatching.path(of: url)
        var matches: [Match] = []
        var shelvesUsed = 0
        var rest = host.utf8[...]
        var isHost = true
        while !rest.isEmpty {
            if let shelf = shelves.index(forKey: isHost ? host : String(Substring(rest))) {
                let before = matches.count
                let entries = shelves.values[shelf]
                for index in entries.indices {
                    let sends = entries[index].cookie.isSent(
                        isHost: isHost, isSecure: isSecure, isForeign: isForeign, isLaxAllowed: isLaxAllowed, now)
                    if sends, CookieMatching.isPath(entries[index].cookie.path.utf8, of: path) {
                        matches.append(Match(shelf: shelf, index: index))
                    }
                }
                if matches.count > before { shelvesUsed += 1 }
            }
            // An address has no names above it.
            guard url.hostKind == .domain, let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { break }
            rest = rest[rest.index(after: dot)...]
            isHost = false
        }
        if shelvesUsed > 1 { matches.sort { entry($0).precedes(entry($1)) } }
        return fitting(matches)
    }

    private func entry(_ match: Match) -> Entry { shelves.values[match.shelf][match.index] }

    /// Returns the first cookies that fit into a Cookie field.
    private func fitting(_ matches: [Match]) -> [Match] {
        var length = 0
        var fitting = 0
        for match in matches.prefix(max(limits.perRequest, 0)) {
            length += shelves.values[match.shelf][match.index].cookie.fieldLength + (fitting > 0 ? 2 : 0)
            guard length <= limits.fieldLength else { break }
            fitting += 1
        }
        return fitting == matches.count ? matches : Array(matches.prefix(fitting))
    }
}

extension Cookie {
    /// Whether a request carries the cookie, as far as host and path do not decide (5.8.3).
    fileprivate func isSent(
        isHost: Bool, isSecure secureRequest: Bool, isForeign: Bool, isLaxAllowed: Bool, _ now: CookieTime
    ) -> Bool {
        if isHostOnly, !isHost { return false }
        if isSecure, !secureRequest { return false }
        if isExpired(now) { return false }
        guard isForeign else { return true }
        switch sameSite {
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
        shelves.values.joined().filter { !$0.cookie.isExpired(now) }
            .sorted { ($0.cookie.creation, $0.sequence) < ($1.cookie.creation, $1.sequence) }.map(\.cookie)
    }

    /// Replaces all cookies; leaves out those that the jar would not take.
    mutating func restore(_ cookies: [Cookie], now: CookieTime) {
        self = CookieJarState(limits: limits, suffixes: suffixes)
        merge(cookies, now: now)
    }

    /// Adds cookies of a file to the others. Of two in the same place, the one that was set last stays.
    mutating func merge(_ cookies: [Cookie], now: CookieTime) {
        for cookie in cookies {
            let known = shelves[cookie.domain]?.first { cookie.replaces($0.cookie) }
            if let known, !known.cookie.isExpired(now), known.cookie.update > cookie.update { continue }
            _ = try? add(cookie, now: now)
        }
    }
}
