/// The limits on a body of several parts. A body beyond one of them throws `limitExceeded`.
public struct PartLimits: Sendable, Hashable {
    /// The maximum length of a part's header in bytes; 64 KiB by default.
    public var header = 64 << 10

    /// The maximum number of header fields of a part; 100 by default.
    public var fields = 100

    /// The maximum length of a part's body in bytes; nil, the default, for no limit. Bodies are streamed: a long one costs no memory.
    public var body: Int64?

    /// The maximum number of parts; nil, the default, for no limit.
    public var parts: Int?

    /// The maximum number of bytes before the first part, its delimiter line included; 64 KiB by default.
    public var preamble = 64 << 10

    public init() {}
}
