/// How HTTP/2 connections are kept.
public struct HTTP2Options: Sendable {
    /// After how much silence on a connection with requests under way the server is asked for a sign of life (PING); 30 s by
    /// default, twice as long for each time that there was no more than that sign.
    public var pingInterval: Duration = .seconds(30)

    /// How long the server may take to give that sign before the connection is given up; 10 s by default. Its requests then
    /// fail, or are made again on another connection where that is safe.
    public var pingTimeout: Duration = .seconds(10)

    /// How much a server may send on a stream ahead of a reader that keeps up, in bytes; 16 MiB by default, clamped to between
    /// 256 KiB and 1 GiB. It begins with 256 KiB and grows as far as the connection's speed and delay make use of it; what
    /// was allowed by then is what is kept for a reader that stops.
    public var maximumWindow: Int {
        get { window }
        set { window = min(max(newValue, 256 << 10), 1 << 30) }
    }

    /// Whether a connection serves other origins, too, where its address is also theirs and its certificate is good for their
    /// names under the same policy (RFC 9113, 9.1.1); yes by default.
    public var coalescesOrigins = true

    private var window = 16 << 20

    public init() {}
}

/// When HTTP/2 is spoken.
public enum HTTP2Use: Sendable, Hashable {
    /// With servers that choose it in the TLS handshake (ALPN, RFC 7301); HTTP/1.1 is spoken with the others, and without TLS.
    case negotiated
    /// Also without TLS, to servers that are known to speak it (RFC 9113, 3.3).
    case priorKnowledge
    /// Never.
    case off
}
