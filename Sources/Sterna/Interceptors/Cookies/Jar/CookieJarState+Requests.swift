import SternaCore

/// A request for which a jar has cookies.
struct CookieRequest: Sendable {
    let url: HTTPURL
    /// The site for which it is made; nil for its own.
    var site: CookieSite?
    /// Whether its method is safe (RFC 9110, 9.2.1), which matters for requests of another site.
    var isSafe = true
    /// The cookies that the caller has set, which take the place of those of the same names.
    var caller = CallerCookies()
}

extension CookieJarState {
    /// A cookie of a request: where it lies, and its place in the Cookie field.
    private struct Match {
        let shelf: Dictionary<String, [Entry]>.Index
        let index: Int
        let place: Place
    }

    /// Returns the Cookie field of a request, and notes that its cookies were used; nil without cookies.
    mutating func field(for request: CookieRequest, now: CookieTime) -> String? {
        guard count > 0 else { return nil }
        let (matches, length) = matches(request, now)
        guard !matches.isEmpty else { return nil }
        for match in matches { shelves.values[match.shelf][match.index].cookie.lastAccess = now }
        return String(unsafeUninitializedCapacity: length) { space in
            var field = CookieFieldWriter(space)
            for match in matches {
                let shelf = shelves.values[match.shelf]
                field.append(name: shelf[match.index].cookie.name, value: shelf[match.index].cookie.value)
            }
            return field.count
        }
    }

    /// Returns the cookies of a request in the order of its Cookie field; that is no use of them.
    func cookies(for request: CookieRequest, now: CookieTime) -> [Cookie] {
        matches(request, now).matches.map { shelves.values[$0.shelf][$0.index].cookie }
    }

    /// Finds the cookies of a request, within the limits of a Cookie field, and the field's length.
    private func matches(_ request: CookieRequest, _ now: CookieTime) -> (matches: [Match], length: Int) {
        let url = request.url
        let host = url.host
        guard host.utf8.count <= CookieMatching.longestHost else { return ([], 0) }
        let context = CookieContext(
            isSecure: url.scheme.isSecure, isForeign: request.site.map { !$0.contains(url, suffixes) } ?? false,
            isLaxAllowed: request.isSafe && request.site?.isNavigation == true, now: now)
        var matches: [Match] = []
        var isSorted = true
        var target = url.requestTarget
        target.withUTF8 { target in
            let path = target.prefix { $0 != UInt8(ascii: "?") }
            var rest = host.utf8[...]
            var isHost = true
            while !rest.isEmpty {
                if let shelf = shelves.index(forKey: isHost ? host : String(Substring(rest))) {
                    let before = matches.count
                    collect(shelf, context, isHost: isHost, path: path, &matches)
                    if before > 0, matches.count > before { isSorted = false }
                }
                // An address has no names above it.
                guard url.hostKind == .domain, let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { break }
                rest = rest[rest.index(after: dot)...]
                isHost = false
            }
        }
        if !isSorted { matches.sort { $0.place < $1.place } }
        if request.caller.count > 0 {
            matches.removeAll { match in
                request.caller.names.contains(shelves.values[match.shelf][match.index].cookie.name)
            }
        }
        return fitting(matches, beside: request.caller)
    }

    private func collect(
        _ shelf: Dictionary<String, [Entry]>.Index, _ context: CookieContext, isHost: Bool,
        path: Slice<UnsafeBufferPointer<UInt8>>, _ matches: inout [Match]
    ) {
        let entries = shelves.values[shelf]
        for index in entries.indices where context.allows(entries[index].cookie, isHost: isHost) {
            let own = entries[index].cookie.path
            if own.utf8.count == 1 || CookieMatching.isPath(own, of: path) {
                matches.append(Match(shelf: shelf, index: index, place: entries[index].place))
            }
        }
    }

    /// Returns the first cookies that fit into a Cookie field behind the caller's, and their length.
    private func fitting(_ matches: [Match], beside caller: CallerCookies) -> (matches: [Match], length: Int) {
        let most = limits.fieldLength - (caller.count > 0 ? caller.length + 2 : 0)
        var length = 0
        for (position, match) in matches.enumerated() {
            let more = shelves.values[match.shelf][match.index].cookie.fieldLength + (position > 0 ? 2 : 0)
            guard position < limits.perRequest - caller.count, length + more <= most else {
                return (Array(matches.prefix(position)), length)
            }
            length += more
        }
        return (matches, length)
    }
}

/// What decides, besides host and path, whether a request carries a cookie (5.8.3).
private struct CookieContext {
    let isSecure: Bool
    /// Whether the request is of another site.
    let isForeign: Bool
    /// Whether such a request carries cookies with `SameSite=Lax`.
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

/// Writes a Cookie field into memory of its length (5.8.3, step 4).
private struct CookieFieldWriter {
    private let space: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ space: UnsafeMutableBufferPointer<UInt8>) { self.space = space }

    mutating func append(name: String, value: String) {
        if count > 0 {
            append(UInt8(ascii: ";"))
            append(UInt8(ascii: " "))
        }
        if !name.isEmpty {
            append(name)
            append(UInt8(ascii: "="))
        }
        append(value)
    }

    private mutating func append(_ byte: UInt8) {
        guard count < space.count else { return }
        space[count] = byte
        count += 1
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard bytes.count <= space.count - count else { return }
            _ = UnsafeMutableBufferPointer(rebasing: space[count...]).initialize(fromContentsOf: bytes)
            count += bytes.count
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
        remove(now: now) { _ in true }
        for cookie in cookies { _ = try? add(cookie, now: now) }
    }
}
