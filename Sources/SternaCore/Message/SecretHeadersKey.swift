/// Names secret header fields of one request: no printed form shows them, and a redirect to another origin drops them, unless its
/// policy keeps credentials across origins.
///
/// Authorization, Cookie and Proxy-Authorization count as secret without being named.
public enum SecretHeadersKey: RequestOptionKey {
    public static var defaultValue: Set<String> { [] }
}
