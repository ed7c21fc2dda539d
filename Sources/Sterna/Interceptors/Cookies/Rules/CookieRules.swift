import SternaCore

/// Decides which cookies a jar accepts (draft-ietf-httpbis-rfc6265bis-22, 5.7), as far as that does not depend on its other
/// cookies.
enum CookieRules {
    /// Makes the cookie of a Set-Cookie field.
    ///
    /// - Parameters:
    ///   - url: the URL of the response.
    ///   - isSecure: whether the connection was secure; nil to decide by the URL's scheme.
    ///   - site: the site for which the request was made; nil for its own site.
    static func cookie(
        _ field: SetCookie, from url: HTTPURL, isSecure: Bool? = nil, site: CookieSite? = nil,
        _ suffixes: PublicSuffixList, now: CookieTime
    ) throws(CookieRefusal) -> Cookie {
        let host = url.host
        guard host.utf8.count <= CookieMatching.longestHost else { throw .invalidDomain }
        var domain = field.domain ?? ""
        guard domain.utf8.allSatisfy({ $0 < 0x80 }), domain.utf8.first != UInt8(ascii: ".") else {
            throw .invalidDomain
        }
        if !domain.isEmpty, suffixes.isPublicSuffix(domain) {
            guard domain == host else { throw .publicSuffix }
            domain = ""
        }
        if !domain.isEmpty, !CookieMatching.isDomain(domain, of: host, url.hostKind) { throw .foreignDomain }
        let path =
            switch field.path {
            case .given(let path): path
            case .absent, .standard: CookieMatching.defaultPath(url)
            }
        if field.isSecure, !(isSecure ?? url.scheme.isSecure) { throw .insecure }
        let cookie = Cookie(
            name: field.name, value: field.value, domain: domain.isEmpty ? host : domain, isHostOnly: domain.isEmpty,
            path: path, isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, isPartitioned: field.isPartitioned,
            sameSite: field.sameSite, expiry: expiry(field, now), creation: now, lastAccess: now, update: now)
        if field.sameSite != Cookie.SameSite.none, let site, !site.isNavigation, !site.contains(url, suffixes: suffixes)
        {
            throw .crossSite
        }
        if field.sameSite == Cookie.SameSite.none, !field.isSecure { throw .sameSiteNoneInsecure }
        guard CookiePrefix.allows(cookie, hasPath: field.path != .absent) else { throw .prefix }
        return cookie
    }

    private static func expiry(_ field: SetCookie, _ now: CookieTime) -> CookieTime? {
        if let age = field.maxAge {
            return age <= 0 ? .earliest : now.advanced(bySeconds: min(age, CookieTime.longestLife))
        }
        return field.expires.map { min($0, now.advanced(bySeconds: CookieTime.longestLife)) }
    }

    /// Returns why a cookie made by the caller, or read from a file, is invalid; nil for a valid one.
    static func refusal(of cookie: Cookie) -> CookieRefusal? {
        let (name, value, path) = (cookie.name.utf8, cookie.value.utf8, cookie.path.utf8)
        if name.contains(where: SetCookie.isControl) || value.contains(where: SetCookie.isControl) {
            return .controlCharacter
        }
        let semicolon = UInt8(ascii: ";")
        // A server would parse these differently.
        if name.contains(semicolon) || name.contains(UInt8(ascii: "=")) || value.contains(semicolon)
            || isPadded(cookie.name)
            || isPadded(cookie.value)
        {
            return .invalidCharacter
        }
        guard name.count + value.count <= SetCookie.Limits.pair else { return .tooLong }
        guard !name.isEmpty || !value.isEmpty else { return .empty }
        guard path.first == UInt8(ascii: "/"), path.count <= SetCookie.Limits.attribute, !path.contains(semicolon),
            !path.contains(where: SetCookie.isControl), !isPadded(cookie.path)
        else { return .invalidPath }
        guard !cookie.domain.isEmpty, cookie.domain.utf8.count <= CookieMatching.longestHost,
            host(cookie.domain) == cookie.domain
        else { return .invalidDomain }
        if cookie.sameSite == Cookie.SameSite.none, !cookie.isSecure { return .sameSiteNoneInsecure }
        return CookiePrefix.allows(cookie, hasPath: true) ? nil : .prefix
    }

    /// Returns whether a text begins or ends with a space or a tab.
    private static func isPadded(_ text: String) -> Bool {
        let blanks: [UInt8?] = [0x20, 0x09]
        return blanks.contains(text.utf8.first) || blanks.contains(text.utf8.last)
    }

    /// Returns a host in the form of URLs, without a leading dot; nil for an invalid host.
    static func host(_ text: String) -> String? {
        let host = text.utf8.first == UInt8(ascii: ".") ? String(text.utf8.dropFirst()) ?? text : text
        return (try? Origin(scheme: .https, host: host))?.host
    }
}
