public import SternaCore
public import SternaPlatform

/// A cookie as a jar keeps it (draft-ietf-httpbis-rfc6265bis-22, 5.7).
///
/// `description`, `dump` and mirrors leave the value out, which is often a secret.
public struct Cookie: Sendable, Hashable {
    /// The name; empty for a cookie that is sent as its value alone.
    public let name: String

    /// The value.
    public let value: String

    /// The host that the cookie belongs to, in the form of `HTTPURL.host`, without a leading dot.
    public let domain: String

    /// Whether hosts below ``domain`` do not receive it.
    public let isHostOnly: Bool

    /// The path whose requests carry the cookie.
    public let path: String

    /// Whether only secure connections carry it: those with TLS, and direct ones to this machine.
    public let isSecure: Bool

    /// Whether scripts of a page must not see it.
    public let isHTTPOnly: Bool

    /// Whether the server has asked for a jar of each site's own (CHIPS). It is kept for programs that know such sites.
    public let isPartitioned: Bool

    /// Which requests of other sites carry it; nil if the server does not say, which is treated as ``SameSite/lax``.
    public let sameSite: SameSite?

    var expiry: CookieTime?
    var creation: CookieTime
    var lastAccess: CookieTime
    /// When the value was set last.
    var update: CookieTime

    /// The end of the cookie's life; nil for one that ends with the session.
    public var expires: Date? { expiry?.date }

    /// Whether it ends with the session.
    public var isSessionOnly: Bool { expiry == nil }

    /// When a cookie of this name, domain and path was first set.
    public var creationDate: Date { creation.date }

    /// When it was set or sent last.
    public var lastAccessDate: Date { lastAccess.date }

    /// Which requests of other sites carry a cookie (draft-ietf-httpbis-rfc6265bis-22, 5.6.7).
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// None.
        case strict
        /// Those that load a page of their own by a safe method.
        case lax
        /// All.
        case none
    }

    /// Makes a cookie.
    ///
    /// - Parameters:
    ///   - name: may be empty if the value is not.
    ///   - domain: a host name or an address, in any form that a URL may have; a leading dot is dropped.
    ///   - includesSubdomains: whether hosts below the domain receive it, too.
    ///   - path: begins with a slash.
    ///   - expires: nil for a cookie that ends with the session. A jar keeps no cookie for more than 400 days.
    /// - Throws: `invalidHeader` for a cookie that no server could set: control characters or a semicolon; an equals sign in the name;
    ///   blanks at either end; more than 4,096 bytes of name and value, or 1,024 of domain or path; a prefix `__Secure-` or `__Host-`
    ///   without what it asks for; `SameSite=None` without `Secure`.
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

    /// Takes the parts as they are.
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

    /// Whether its life has ended.
    func isExpired(_ now: CookieTime) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether the jar has one place for both.
    func replaces(_ other: Cookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
            && isHostOnly == other.isHostOnly && domain == other.domain
    }

    /// The number of bytes in a Cookie field.
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
