/// Names header fields of one request that are secrets: a redirect to another origin drops them, and nothing shows them.
///
/// Authorization, Cookie and Proxy-Authorization are always dropped there.
public enum SecretHeadersKey: RequestOptionKey {
    public static var defaultValue: Set<String> { [] }
}
