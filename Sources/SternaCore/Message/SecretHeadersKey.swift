/// Names secret header fields of one request: a redirect to another origin drops them, and no printed form shows them.
///
/// Authorization, Cookie and Proxy-Authorization are always dropped there.
public enum SecretHeadersKey: RequestOptionKey {
    public static var defaultValue: Set<String> { [] }
}

/// Whether a redirect led to another origin, so that credentials which the caller gave for the session or the request are not sent
/// any more, even if a later redirect returns. Stored credentials are looked up for each request.
package enum CallerCredentialsDroppedKey: RequestOptionKey {
    package static var defaultValue: Bool { false }
}
