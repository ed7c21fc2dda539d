public import SternaCore
public import SternaPlatform

/// A cookie as a jar stores it (draft-ietf-httpbis-rfc6265bis-22, 5.7).
///
/// Descriptions, `dump` and mirrors do not show the value, which is often a secret.
public struct Cookie: Sendable, Hashable {
    /// The name; empty for a cookie that is sent as its value only.
    public let name: String

    /// The value.
    public let value: String

    /// The host that the cookie belongs to, in the form of `HTTPURL.host`, without a leading dot.
    public let domain: String

    /// Whether only ``domain`` itself receives it, and no subdomain.
    public let isHostOnly: Bool

    /// The path at and below which requests carry the cookie.
    public let path: String

    /// Whether only secure connections carry it: TLS connections, and direct connections to this machine.
    public let isSecure: Bool

    /// Whether scripts of a page must not see it.
    public let isHTTPOnly: Bool

    /// Whether the cookie has the attribute `Partitioned` (CHIPS). A jar stores the attribute, but does not separate cookies by
    /// top-level site.
    public let isPartitioned: Bool

    /// Which cross-site requests carry it; nil without the attribute, which counts as ``SameSite/lax``.
    public let sameSite: SameSite?

    var expiry: CookieTime?
    var creation: CookieTime
    var lastAccess: CookieTime
    /// When the value was last set.
    var update: CookieTime

    /// When the cookie expires; nil for a session cookie.
    public var expires: Date? { expiry?.date }

    /// Whether it is a session cookie, without an expiry.
    public var isSessionOnly: Bool { expiry == nil }

    /// When a cookie with this name, domain and path was first set.
    public var creationDate: Date { creation.date }

    /// When it was last set or sent.
    public var lastAccessDate: Date { lastAccess.date }

    /// Which cross-site requests carry a cookie (draft-ietf-httpbis-rfc6265bis-22, 5.6.7).
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// No cross-site request.
        case strict
        /// Navigations with a safe method, as when a user follows a link.
        case lax
        /// All requests; requires `Secure`.
        case none
    }

    /// Makes a cookie.
    ///
    /// - Parameters:
    ///   - name: the name, which may be empty if the value is not.
    ///   - domain: a host name or an address, in any form that a URL may have; a leading dot is dropped.
    ///   - includesSubdomains: whether subdomains receive it, too.
    ///   - path: the path, which begins with a slash.
    ///   - expires: the expiry; nil for a session cookie. A jar keeps no cookie for more than 400 days.
    /// - Throws: `invalidHeader` for a cookie that no server could set: control characters or a semicolon; an equals sign in the
    ///   name; blanks at either end; no name and no value; more than 4,096 bytes of name and value, 1,024 of path or 255 of domain;
    ///   an invalid domain or path; a prefix `__Secure-` or `__Host-` without the attributes that it requires; `SameSite=None`
    ///   without `Secure`.
    public init(
        name: String, value: String, domain: String, includesSubdomains: Bool = false, path: String = "/",
        expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil,
        isPartitioned: Bool = false
    ) throws(SternaError) {
        let now = CookieTime.now
        self.init(
            name: name, value: value, domain: CookieRules.host(domain) ?? "", isHostOnly: !includesSubdomains,
            path: path,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, isPartitioned: isPartitioned, sameSite: sameSite,
            expiry: expires.map { CookieTime($0) }, creation: now, lastAccess: now, update: now)
        if let refusal = CookieRules.refusal(of: self) {
            throw SternaError(
                .invalidHeader, phase: .prepare,
                "The cookie “\(FieldSyntax.printable(name))” cannot be made: \(refusal.reason).")
        }
    }

    /// Makes a cookie without checks.
    init(
        name: String, value: String, domain: String, isHostOnly: Bool, path: String, isSecure: Bool, isHTTPOnly: Bool,
        isPartitioned: Bool, sameSite: SameSite?, expiry: CookieTime?, creation: CookieTime, lastAccess: CookieTime,
        update: CookieTime
    ) {
        (self.name, self.value, self.domain, self.isHostOnly, self.path) = (name, value, domain, isHostOnly, path)
        (self.isSecure, self.isHTTPOnly, self.isPartitioned) = (isSecure, isHTTPOnly, isPartitioned)
        (self.sameSite, self.expiry) = (sameSite, expiry)
        (self.creation, self.lastAccess, self.update) = (creation, lastAccess, update)
    }

    /// Returns whether it has expired.
    func isExpired(_ now: CookieTime) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Returns whether a jar can store only one of both: name, path, domain and ``isHostOnly`` are the same.
    func replaces(_ other: Cookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
            && isHostOnly == other.isHostOnly && domain == other.domain
    }

    /// The length in a Cookie field, in bytes.
    var fieldLength: Int { name.isEmpty ? value.utf8.count : name.utf8.count + 1 + value.utf8.count }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path, without the value.
    public var description: String { "\(name) (\(isHostOnly ? "" : ".")\(domain)\(path))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows all but the value.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "domain": domain, "isHostOnly": isHostOnly, "path": path, "isSecure": isSecure,
                "isHTTPOnly": isHTTPOnly, "isPartitioned": isPartitioned, "sameSite": sameSite as Any,
                "expires": expires as Any,
            ], displayStyle: .struct)
    }
}
