/// How TLS is spoken.
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

    /// The oldest version that is spoken; 1.2 by default.
    public var minimumVersion = Version.tls12

    /// The newest version that is spoken; nil, the default, for the newest there is.
    public var maximumVersion: Version?

    /// The cipher suites of TLS 1.2 and older that are offered, the preferred ones first; nil, the default, for the usual ones.
    /// Those of TLS 1.3 are always offered where it is spoken.
    public var cipherSuites: [CipherSuite]?

    /// Whether the server is told what the engine speaks, `http/1.1` (RFC 7301); yes by default.
    public var offersApplicationProtocols = true

    /// The name that the server is told in place of the host's (RFC 6066, 3). The certificate must be for the host all the same.
    public var serverName: String?

    /// Whether a body that lasts until the connection ends is complete only if the server says so by close_notify (RFC 8446, 6.1;
    /// RFC 9112, 9.8); yes by default.
    ///
    /// Such a body has neither Content-Length nor chunks, so that nothing else tells its end from a connection that an attacker or a
    /// fault has cut: without close_notify it fails with `truncated`. Some old servers never send one; false takes their bodies as
    /// they come. All other bodies say where they end, and are not affected.
    public var requiresCloseNotify = true

    /// A file that the keys of each connection are appended to, for tools that read captured traffic: whoever has it reads
    /// everything. Off by default.
    public var keyLogFile: String?

    /// Makes the usual options.
    public init() {}
}
