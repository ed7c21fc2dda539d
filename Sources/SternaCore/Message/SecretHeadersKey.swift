/// Names secret header fields of one request: a redirect to another origin drops them, and no printed form shows them.
///
/// Authorization, Cookie and Proxy-Authorization are so without being named.
public enum SecretHeadersKey: RequestOptionKey {
    public static var defaultValue: Set<String> { [] }
}
