import SternaCore

/// Upgrades of URLs (RFC 6797, 8.3).
///
/// As in browsers (Fetch, 4.1), an upgrade is not a redirect: nothing is sent over http, no redirect is counted, and
/// ``Response/url`` is the URL that was used.
enum HSTSRule {
    /// Returns the https URL for a host that must be reached over TLS; nil for a URL that uses TLS already.
    ///
    /// Port 80 becomes 443; other ports stay.
    static func upgraded(_ url: HTTPURL) -> HTTPURL? { url.scheme.isSecure ? nil : url.upgradedToTLS() }

    /// Returns whether the field of a response counts: it was received over TLS, from a host with a name.
    ///
    /// - Parameter isVerified: whether the certificate was verified without exceptions.
    static func mayLearn(from url: HTTPURL, isVerified: Bool) -> Bool {
        isVerified && url.scheme.isSecure && url.hostKind == .domain
    }
}
