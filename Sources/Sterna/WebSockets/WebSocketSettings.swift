/// What a WebSocket asks for, and its limits.
///
///     let socket = try await api.webSocket("chat") { $0.subprotocols = ["chat.v2", "chat.v1"] }
public struct WebSocketSettings: Sendable, Hashable {
    /// The subprotocols that the program speaks, the preferred one first; none by default. ``WebSocket/subprotocol`` is the one
    /// that the server chose.
    public var subprotocols: [String] = []

    /// The Origin field, by which servers recognise web pages (RFC 6455, 4.1); nil, the default, for none.
    public var origin: String?

    /// Whether messages may be compressed (permessage-deflate, RFC 7692), if the server agrees; true by default.
    public var compresses = true

    /// The time between the pings that keep the connection alive; 30 s by default, nil for none. A peer that has sent nothing, not
    /// even the pong, when the next ping is due counts as lost.
    ///
    /// While the program does not read, and while the peer does not, there are no pings.
    public var pingInterval: Duration? = .seconds(30)

    /// How long ``WebSocket/ping()`` waits for its answer; 20 s by default.
    public var pingTimeout = Duration.seconds(20)

    /// How long ``WebSocket/close(_:reason:)`` waits for the peer's answer, before it ends the connection; 5 s by default.
    public var closeTimeout = Duration.seconds(5)

    /// The largest frame that the peer may send, in bytes before decompression; 16 MiB by default.
    public var frameBytes = 16 << 20

    /// The largest message that is collected, in bytes after decompression; 16 MiB by default. ``WebSocket/pieces`` has no such
    /// limit.
    public var messageBytes = 16 << 20

    /// The largest number of frames of a message; 65,536 by default.
    public var fragmentCount = 65_536

    /// The waits before a ``ReconnectingWebSocket`` connects again; at most 1 s after the first failure, growing to 60 s. Failures
    /// are counted anew when a message has arrived.
    public var backoff = RetryBackoff(base: .seconds(1), cap: .seconds(60))

    /// The number of failures one after another at which a ``ReconnectingWebSocket`` ends with the last one's error; nil, the
    /// default, for no limit.
    public var failureLimit: Int?

    /// The statuses of a refused handshake after which a ``ReconnectingWebSocket`` tries again; 408, 429, 502, 503 and 504 by
    /// default. A longer Retry-After replaces the wait.
    public var retriedStatuses: Set<Int> = [408, 429, 502, 503, 504]

    /// The codes after which a ``ReconnectingWebSocket`` connects again: by default those of a server that goes away, restarts or
    /// fails, and that of a lost connection.
    public var retriedCodes: Set<WebSocket.CloseCode> = [
        .goingAway, .noCode, .lost, .internalError, .serviceRestart, .tryAgainLater, .badGateway,
    ]

    public init() {}
}
