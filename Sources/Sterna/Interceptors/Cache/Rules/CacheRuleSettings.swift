/// The settings of a cache that its rules depend on.
struct CacheRuleSettings: Sendable {
    /// Whether the cache is a shared one, which stores no `private` responses. False by default.
    var isShared = false

    /// The heuristic freshness lifetime in percent of the time since Last-Modified; 10 by default (RFC 9111, 4.2.2).
    var heuristicPercent: Int64 = 10

    /// The maximum heuristic freshness lifetime in seconds; seven days by default.
    var heuristicLimit: Int64 = 7 * 86_400

    /// How secret request fields are represented in the key of a variant.
    var secrets = VarySecrets()
}
