import SternaCore

/// The hosts whose cookies and credentials are removed at the request of one of them: those of its registrable domain (W3C Clear
/// Site Data, 4.2.3), or only that host if it has none.
struct ClearedSite: Sendable {
    private let domain: String

    init(of url: HTTPURL, _ suffixes: PublicSuffixList) {
        domain = suffixes.registrableDomain(of: url.host) ?? Self.withoutDot(url.host)
    }

    /// Returns whether a host, in the form of `HTTPURL.host`, belongs to the site.
    func contains(_ host: String) -> Bool {
        let host = Self.withoutDot(host)
        return host == domain || host.hasSuffix("." + domain)
    }

    private static func withoutDot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }
}
