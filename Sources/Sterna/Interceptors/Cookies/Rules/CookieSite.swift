public import SternaCore

/// The site for which a request is made, as far as `SameSite` is concerned (draft-ietf-httpbis-rfc6265bis-22, 5.2).
///
/// A program usually asks in its own name, and all its requests are of the same site. One that acts for pages, such as a crawler or a
/// proxy, says whose page it is.
public struct CookieSite: Sendable, Hashable {
    /// The origin of the page.
    public let origin: Origin

    /// Whether the request loads a page of its own, as a link does, and not a part of one.
    public let isNavigation: Bool

    /// Makes a site of the origin of a page.
    public init(_ origin: Origin, isNavigation: Bool = false) {
        self.origin = origin
        self.isNavigation = isNavigation
    }

    /// Returns whether a URL belongs to the site: both are secure or both are not, and they have the same registrable domain, or host.
    ///
    /// - Parameter suffixes: the list that registrable domains are found by; the built-in one by default.
    public func contains(_ url: HTTPURL, suffixes: PublicSuffixList = .builtIn) -> Bool {
        guard origin.scheme.isSecure == url.scheme.isSecure else { return false }
        let (own, other) = (origin.host, url.host)
        if own == other { return true }
        let dot = UInt8(ascii: ".")
        guard let site = suffixes.registrableDomain(of: own), (own.utf8.last == dot) == (other.utf8.last == dot) else {
            return false
        }
        return site == suffixes.registrableDomain(of: other)
    }
}
