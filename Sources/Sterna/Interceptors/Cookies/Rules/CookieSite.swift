public import SternaCore

/// The site for which a request is made, which decides about `SameSite` (draft-ietf-httpbis-rfc6265bis-22, 5.2).
///
/// Most programs do not act for a page, so that all their requests are same-site. A program that loads pages, such as a crawler or
/// a proxy, sets the origin of the page.
public struct CookieSite: Sendable, Hashable {
    /// The origin of the page.
    public let origin: Origin

    /// Whether the request is a navigation to a new page, as by a link, and does not load a part of the page; false by default.
    public let isNavigation: Bool

    /// Makes the site of a page's origin.
    public init(_ origin: Origin, isNavigation: Bool = false) {
        self.origin = origin
        self.isNavigation = isNavigation
    }

    /// Returns whether a URL belongs to the site: both or neither have a secure scheme, and they have the same registrable domain
    /// or host.
    ///
    /// - Parameter suffixes: the list of public suffixes that determines registrable domains; the built-in one by default.
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
