/// How HTTP/2 connections are kept alive and shared.
public struct HTTP2Options: Sendable {
    /// How long a connection with active requests may be silent before the client sends PING; 30 s by default, at least 10 ms. The
    /// interval doubles each time that the server sends nothing but the acknowledgement.
    public var pingInterval: Duration = .seconds(30)

    /// How long the server may take to acknowledge a PING before the connection is closed; 10 s by default, at least 10 ms. Its
    /// requests then fail, or are retried on another connection where that is safe.
    public var pingTimeout: Duration = .seconds(10)

    /// The maximum flow-control window of a stream, in bytes; 16 MiB by default, clamped to between 256 KiB and 1 GiB. The window
    /// starts at 256 KiB and grows with the connection's bandwidth and delay while the reader keeps up. If the reader stops, the
    /// connection buffers what the window had allowed by then.
    public var maximumWindow: Int {
        get { window }
        set { window = min(max(newValue, 256 << 10), 1 << 30) }
    }

    /// Whether a connection also serves other origins: those that resolve to its address and whose names its certificate covers
    /// under the same policy (RFC 9113, 9.1.1); yes by default.
    public var coalescesOrigins = true

    private var window = 16 << 20

    public init() {}
}

/// When HTTP/2 is used.
public enum HTTP2Mode: Sendable, Hashable {
    /// With servers that choose it in the TLS handshake (ALPN, RFC 7301). Other servers, and connections without TLS, use HTTP/1.1.
    case negotiated
    /// Also without TLS, to servers that are known to speak it (RFC 9113, 3.3).
    case priorKnowledge
    /// Never.
    case off
}
