public import SternaCore

/// The options of a transfer: its limits, priority, digest and destination.
public struct TransferOptions: Sendable, Hashable, Codable {
    /// The number of attempts after which a transfer fails; 100 by default, 1 to 1,000,000.
    ///
    /// The pause after a failed attempt is up to 1 s, and doubles with each further attempt that makes no progress, up to
    /// ``longestPause``. An attempt can be several requests: an upload sends up to 40 in a row without progress, with pauses. See
    /// ``maxRequests``.
    public var maxAttempts = 100

    /// How long after it was added a transfer may begin attempts; nil, the default, for no limit.
    public var lifetime: Duration?

    /// The longest pause between attempts; 5 minutes by default. A server may ask for a longer one by `Retry-After` (RFC 9110,
    /// 10.2.3), up to a day.
    public var longestPause = Duration.seconds(300)

    /// The expected SHA-256 of the file, in hexadecimal digits or Base64; nil by default.
    ///
    /// The content of an upload is compared with it when the upload is added. Servers of the IETF protocol receive it in
    /// `Repr-Digest` (RFC 9530, 3), to verify the content.
    public var sha256: String?

    /// The maximum number of connections of a download; 1 by default, 1 to 16.
    public var maxSegments = 1

    /// Whether a download replaces an existing file; false by default. Otherwise a download to an existing file fails, and one into
    /// a folder adds a number to the name.
    public var replacesFile = false

    // Options that older descriptions lack.
    private var storedPriority: Int?
    private var requests: Int?

    /// The number of requests in a row without progress, over all attempts, after which a transfer fails; 1,000 by default. Values
    /// below 1 count as 1.
    ///
    /// It is checked at the end of an attempt, whose own requests may exceed it. An attempt that transfers at least 64 KiB resets
    /// the count.
    public var maxRequests: Int {
        get { requests ?? 1_000 }
        set { requests = newValue == 1_000 ? nil : newValue }
    }

    /// The priority with which the transfer waits for its turn; `normal` by default.
    public var priority: Request.Priority {
        get { storedPriority.flatMap(Request.Priority.init(rawValue:)) ?? .normal }
        set { storedPriority = newValue == .normal ? nil : newValue.rawValue }
    }

    /// Creates the default options.
    public init() {}

    // The names in stored files. An option without one is not stored.
    private enum CodingKeys: String, CodingKey {
        case maxAttempts, lifetime, longestPause, sha256, maxSegments, replacesFile, requests
        case storedPriority = "rank"
    }
}
