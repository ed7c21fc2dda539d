/// The prefixes of names that guarantee how a cookie was set (draft-ietf-httpbis-rfc6265bis-22, 5.4).
enum CookiePrefix: CaseIterable {
    case secure, host

    private var text: String {
        switch self {
        case .secure: "__secure-"
        case .host: "__host-"
        }
    }

    /// Finds the prefix of a cookie's name, in any letter case; nil without one.
    ///
    /// Leading white space is ignored, since some servers strip more of it than a client does.
    init?(_ name: String) {
        let name = Substring(name.unicodeScalars.drop { $0.properties.isWhitespace || Self.isIgnored($0) })
        let found = Self.allCases.first { prefix in
            let start = name.utf8.prefix(prefix.text.utf8.count)
            return start.elementsEqual(prefix.text.utf8) { left, right in
                (left >= 0x41 && left <= 0x5A ? left | 0x20 : left) == right
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// Returns whether a character has no width without being white space.
    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x180E, 0x200B...0x200F, 0x2060, 0xFEFF: true
        default: false
        }
    }

    /// Returns whether a cookie has the attributes that its prefix requires.
    ///
    /// A cookie without a name is sent as its value only, so its value must not look like a name with a prefix.
    ///
    /// - Parameter hasPath: whether the cookie has a `Path` attribute.
    static func allows(_ cookie: Cookie, hasPath: Bool) -> Bool {
        guard !cookie.name.isEmpty else { return CookiePrefix(cookie.value) == nil }
        switch CookiePrefix(cookie.name) {
        case nil: return true
        case .secure: return cookie.isSecure
        case .host: return cookie.isSecure && cookie.isHostOnly && hasPath && cookie.path == "/"
        }
    }
}
