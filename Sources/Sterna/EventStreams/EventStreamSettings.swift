public import SternaSerialization

/// When an event stream connects again, and what it takes from a server.
///
///     for try await event in api.events("prices", { $0.reconnects = false }) { … }
public struct EventStreamSettings: Sendable, Hashable {
    /// Whether the stream connects again after the server has ended it, or the connection was lost; nil, the default, for GET
    /// requests only. Another request may have an effect when it is sent again.
    public var reconnects: Bool?

    /// The id that the first request sends as `Last-Event-ID`; empty, the default, for none. Later requests send that of the last
    /// event.
    public var lastEventID = ""

    /// The wait before the stream connects again, until the server sets another; 3 s by default. The server's counts as at least
    /// 100 ms and at most a day.
    public var reconnectionTime = Duration.seconds(3)

    /// The waits that failures one after another add to the ``reconnectionTime``; at most 1 s after the first, growing to 60 s.
    public var backoff = RetryBackoff(base: .seconds(1), cap: .seconds(60))

    /// The number of failures one after another at which the stream ends with the last one's error; nil, the default, for no limit.
    public var failureLimit: Int?

    /// The statuses that count as a lost connection, such as 429, 502, 503 and 504; by default none, so that each but 200 and 204
    /// ends the stream with an error. A longer Retry-After replaces the wait.
    public var retriedStatuses: Set<Int> = []

    /// The maximum time without any bytes, comments included, after which the connection counts as lost; 10 min by default. It
    /// replaces the request's ``SternaCore/Timeouts/betweenBytes``.
    public var silence = Duration.seconds(600)

    /// The limits on what the reader holds; see ``SternaSerialization/EventStreamParser/Limits``.
    public var limits = EventStreamParser().limits
}
