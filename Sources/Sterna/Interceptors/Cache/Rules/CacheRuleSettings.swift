/// What the rules of a cache depend on, apart from messages and the moment.
struct CacheRuleSettings: Sendable {
    /// Whether the cache serves several users: it then keeps no private responses. False by default.
    var isShared = false

    /// The heuristic lifetime in percent of the time since Last-Modified; 10 by default (RFC 9111, 4.2.2).
    var heuristicPercent: Int64 = 10

    /// The longest heuristic lifetime in seconds; seven days by default.
    var heuristicLimit: Int64 = 7 * 86_400

    /// How values of secret request fields enter the key of a variant.
    var secrets = VarySecrets()
}
