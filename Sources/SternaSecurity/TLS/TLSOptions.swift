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

    /// A file that the keys of each connection are appended to, for tools that read captured traffic: whoever has it reads
    /// everything. Off by default.
    public var keyLogFile: String?

    /// Makes the usual options.
    public init() {}
}
