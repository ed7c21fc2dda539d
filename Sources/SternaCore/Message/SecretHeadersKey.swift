/// The names of secret header fields of a request. Descriptions and mirrors do not show their values, and a redirect to another
/// origin drops them, unless its policy keeps credentials across origins.
///
/// Authorization, Cookie and Proxy-Authorization are always secret.
package enum SecretHeadersKey: RequestOptionKey {
    package static var defaultValue: Set<String> { [] }
}
