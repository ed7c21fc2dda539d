public import SternaCore

/// How a transfer is made, and how long it is tried.
public struct TransferOptions: Sendable, Hashable, Codable {
    /// The number of attempts after which a transfer fails; 100 by default.
    ///
    /// An attempt that brings nothing is followed by a pause of a second, which doubles with each further one up to ``longestPause``. An
    /// attempt can be several requests: that of an upload asks up to 40 times in a row without bringing anything, with pauses. See
    /// ``maxRequests``.
    public var maxAttempts = 100

    /// How long a transfer is tried, from when it was added; nil, the default, for ever.
    public var lifetime: Duration?

    /// The longest pause between attempts; 5 minutes by default. A server may ask for a longer one, up to a day.
    public var longestPause = Duration.seconds(300)

    /// The expected SHA-256 of the file, in hexadecimal digits or Base64; none by default.
    ///
    /// An upload's content is compared with it when the upload is added, and servers of the IETF's protocol are told it (Repr-Digest, RFC
    /// 9530), to verify what they have got.
    public var sha256: String?

    /// The maximum number of connections of a download; 1 by default, at most 16.
    public var maxSegments = 1

    /// Whether a file at the destination is replaced; otherwise, by default, the transfer fails if there is one.
    public var replacesFile = false

    // Options that older descriptions do not have.
    private var rank: Int?
    private var requests: Int?

    /// The number of requests in a row that bring nothing, in all attempts together, after which a transfer fails; 1,000 by default.
    ///
    /// It is judged at the end of an attempt, which may exceed it by its own requests. Attempts that bring 64 KiB begin the count anew.
    public var maxRequests: Int {
        get { requests ?? 1_000 }
        set { requests = newValue == 1_000 ? nil : newValue }
    }

    /// The priority with which the transfer waits for its turn; normal by default.
    public var priority: Request.Priority {
        get { rank.flatMap(Request.Priority.init(rawValue:)) ?? .normal }
        set { rank = newValue == .normal ? nil : newValue.rawValue }
    }

    public init() {}
}
