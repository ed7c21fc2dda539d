/// The reason why a cookie is not stored (draft-ietf-httpbis-rfc6265bis-22, 5.6 and 5.7).
enum CookieRefusal: Error, Hashable, Sendable, CaseIterable {
    case controlCharacter
    /// A cookie made by the caller contains a separator of names, values or attributes, or blanks at an end.
    case invalidCharacter
    /// Its text is not UTF-8.
    case notText
    /// Name and value together have more than 4,096 bytes.
    case tooLong
    /// The cookie has neither a name nor a value.
    case empty
    /// The domain has a character outside ASCII, or the host is too long to have cookies.
    case invalidDomain
    /// A cookie made by the caller has an invalid path.
    case invalidPath
    /// All hosts of a public suffix would receive the cookie.
    case publicSuffix
    /// The host does not belong to the cookie's domain.
    case foreignDomain
    /// `Secure` over an insecure connection.
    case insecure
    /// The cookie, from an insecure connection, would shadow one with `Secure`.
    case shadowsSecure
    /// The response to a cross-site request may not set the cookie.
    case crossSite
    /// `SameSite=None` without `Secure`.
    case sameSiteNoneInsecure
    /// The name begins with `__Secure-` or `__Host-`, and the cookie lacks the attributes that the prefix requires.
    case prefix

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
        }
    }
}
