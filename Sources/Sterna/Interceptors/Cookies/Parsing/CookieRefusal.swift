/// The reason why a cookie is not stored (draft-ietf-httpbis-rfc6265bis-22, 5.6 and 5.7).
enum CookieRefusal: Error, Hashable, Sendable, CaseIterable {
    case controlCharacter
    /// A character that ends names, values or attributes, in a cookie made by the caller.
    case invalidCharacter
    /// Its text is not UTF-8.
    case notText
    /// Name and value together have more than 4,096 bytes.
    case tooLong
    /// Neither a name nor a value.
    case empty
    /// The domain has a character outside ASCII, or the host is too long to have cookies.
    case invalidDomain
    /// The path of a cookie made by the caller.
    case invalidPath
    /// All hosts of a public suffix would receive the cookie.
    case publicSuffix
    /// The host does not belong to the cookie's domain.
    case foreignDomain
    /// `Secure` over a connection without TLS.
    case insecure
    /// A cookie that has `Secure` would be shadowed from a connection without TLS.
    case shadowsSecure
    /// A response to a request from another site.
    case crossSite
    /// `SameSite=None` without `Secure`.
    case sameSiteNoneInsecure
    /// The name begins with `__Secure-` or `__Host-`, and the cookie does not have what that asks for.
    case prefix
    /// Refused by the caller's hook.
    case refusedByCaller

    /// The reason as the end of a sentence.
    var reason: String {
        switch self {
        case .controlCharacter: "it has a control character"
        case .invalidCharacter: "it has a character that would end it, or blanks at an end"
        case .notText: "it is not UTF-8"
        case .tooLong: "its name and value are longer than \(SetCookie.Limits.pair) bytes"
        case .empty: "it has neither a name nor a value"
        case .invalidDomain: "its domain is not a host name"
        case .invalidPath: "its path is invalid"
        case .publicSuffix: "its domain is a public suffix"
        case .foreignDomain: "its domain is not the server's"
        case .insecure: "it is for secure connections, and comes over another one"
        case .shadowsSecure: "it would replace or hide a secure cookie"
        case .crossSite: "it comes from another site"
        case .sameSiteNoneInsecure: "it has SameSite=None without Secure"
        case .prefix: "its name has a prefix whose rules it does not meet"
        case .refusedByCaller: "the program refuses it"
        }
    }
}
