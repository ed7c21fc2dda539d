import SternaCore

/// Upgrades of URLs (RFC 6797, 8.3).
///
/// As in browsers (Fetch, 4.1) an upgrade is no redirect: nothing is sent by http, no step is counted, and ``Response/url`` has the
/// URL that was used.
enum HSTSRule {
    /// Returns the URL to use for a host that is reached by TLS only; nil for one that uses TLS already.
    ///
    /// Port 80 becomes 443, any other port stays.
    static func upgraded(_ url: HTTPURL) -> HTTPURL? { url.scheme.isSecure ? nil : url.upgradedToTLS() }

    /// Whether a response may teach something: it came over TLS, from a host with a name.
    ///
    /// - Parameter isVerified: whether the connection was opened without an exception to the rules for certificates.
    static func mayLearn(from url: HTTPURL, isVerified: Bool) -> Bool {
        isVerified && url.scheme.isSecure && url.hostKind == .domain
    }
}
