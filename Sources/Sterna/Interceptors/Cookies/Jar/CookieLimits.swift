/// The limits of a cookie jar. Numbers below zero count as zero.
public struct CookieLimits: Sendable, Hashable, Codable {
    /// The maximum number of cookies of one domain; 50 by default.
    public var perDomain: Int

    /// The maximum number of cookies of all domains; 3,000 by default.
    public var total: Int

    /// The maximum number of cookies in a request; 150 by default.
    public var perRequest: Int

    /// The maximum length of a Cookie field, in bytes; 8,192 by default. Servers often refuse longer fields.
    public var fieldLength: Int

    public init(perDomain: Int = 50, total: Int = 3_000, perRequest: Int = 150, fieldLength: Int = 8_192) {
        (self.perDomain, self.total) = (perDomain, total)
        (self.perRequest, self.fieldLength) = (perRequest, fieldLength)
    }
}
