/// The options of TLS.
public struct TLSOptions: Sendable, Hashable {
    /// A version of TLS.
    public enum Version: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// TLS 1.0 (RFC 2246), for old devices only.
        case tls10 = "1.0"
        /// TLS 1.1 (RFC 4346), for old devices only.
        case tls11 = "1.1"
        /// TLS 1.2 (RFC 5246).
        case tls12 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "1.3"

        public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// The oldest accepted version; 1.2 by default.
    public var minimumVersion = Version.tls12

    /// The newest accepted version; nil, the default, for the newest supported one.
    public var maximumVersion: Version?

    /// The offered cipher suites of TLS 1.2 and older, in order of preference; nil, the default, for the TLS library's defaults.
    /// The suites of TLS 1.3 are always offered with that version.
    public var cipherSuites: [CipherSuite]?

    /// Whether the handshake offers the engine's protocols, `h2` and `http/1.1`, by ALPN (RFC 7301); true by default.
    public var offersApplicationProtocols = true

    /// The server name to send instead of the host (RFC 6066, 3); nil, the default, sends the host. The certificate must still be
    /// for the host.
    public var serverName: String?

    /// Whether a body that ends with the connection is complete only if the server sends close_notify (RFC 8446, 6.1; RFC 9112,
    /// 9.8); true by default.
    ///
    /// Such a body has neither Content-Length nor chunks, so only close_notify distinguishes its end from a connection broken by an
    /// attacker or a fault: without close_notify it fails with `truncated`. Some old servers never send one; false accepts their
    /// bodies. All other bodies mark their own end, and are not affected.
    public var requiresCloseNotify = true

    /// The path of a file to which the keys of each connection are appended, for tools that decrypt captured traffic; nil, the
    /// default, writes none. Everyone with the file can decrypt the traffic, so it must be a regular file that only its owner can
    /// access; with any other file, connections fail with `tlsFailed`.
    public var keyLogFile: String?

    /// Makes the default options.
    public init() {}
}
