public import SternaCore
import SternaPlatform

/// How an engine opens and keeps its connections.
public struct EngineOptions: Sendable {
    /// The maximum number of open connections to one origin; further requests wait. 128 by default, at least 1.
    ///
    /// Connections with different trust, identity, dial policy or proxy are never shared, so each such combination has its own
    /// limit. ``maximumConnections`` bounds them all.
    public var maximumConnectionsPerOrigin = 128

    /// The maximum number of requests that wait for a connection to one origin; further ones fail at once, with `limitExceeded`.
    /// Requests with a dial in progress do not count. No limit by default; at least 1.
    public var maximumWaitingPerOrigin: Int?

    /// The maximum number of open connections in all; further requests wait, and origins take turns. By default three quarters of
    /// the files that this process may have open, at least 16 and at most 16,384; 256 if that number is unknown.
    public var maximumConnections = Self.defaultMaximumConnections

    /// How long an idle connection is kept; 50 s by default. A shorter time that the server announces (`Keep-Alive: timeout`) takes
    /// precedence. `docs/Connections.md` has the times of common servers, some of which are shorter.
    public var idleTimeout: Duration = .seconds(50)

    /// The maximum age of a connection, after which it takes no more requests. No limit by default.
    public var maximumAge: Duration?

    /// The maximum number of requests per connection; no limit by default.
    public var maximumUses: Int?

    /// HTTP/2 settings.
    public var http2 = HTTP2Options()

    /// Limits on the framing of a response.
    public var limits = Limits()

    /// Resolves host names; asks the system by default.
    public var resolver: any HostResolver = SystemResolver()

    /// How long addresses without a time to live are kept; 60 s by default, zero or less keeps none.
    public var resolvedLifetime: Duration = .seconds(60)

    /// The address families to connect to; both by default.
    public var addressFamilies = AddressFamilies.any

    /// The head start of one address before the next one is tried (RFC 8305, 5); 250 ms by default, at least 10 ms.
    public var attemptDelay: Duration = .milliseconds(250)

    /// The local address that connections are opened from; the system's choice by default.
    public var sourceAddress: IPAddress?

    /// Whether the system probes idle connections (TCP keep-alive); yes by default.
    public var keepsAlive = true

    /// Whether small writes leave at once instead of waiting for more data (TCP_NODELAY); yes by default.
    public var noDelay = true

    /// Addresses that replace those of a host's name, by `host:port`, the host in lower case; curl's `--resolve`. If no entry of a
    /// list is an address, its first entry is a name that is resolved instead. Certificates and requests still use the host's name.
    /// Empty by default.
    public var hostOverrides: [String: [String]] = [:]

    /// Ports that are connected to in place of a host's, by `host:port`, the host in lower case; with ``hostOverrides`` this is
    /// curl's `--connect-to`. Only connections, their errors and the dial policy have this port: certificates, requests, cookies
    /// and all other rules go by the URL's. Empty by default.
    public var portOverrides: [String: UInt16] = [:]

    /// The clock for all limits; the system's by default. Tests set another one.
    public var clock = NetworkClock.system

    // How long waiters share the first dial to a server that may speak HTTP/2 before the engine opens further connections for them.
    package var firstDialPatience: Duration = .milliseconds(300)

    // How long a body waits for `100 (Continue)` from the server: one second, as in curl.
    package var continueWait: Duration = .seconds(1)

    public init() {}

    private static let defaultMaximumConnections: Int = {
        var limit = rlimit()
        #if canImport(Glibc)
        let known = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        #else
        let known = getrlimit(RLIMIT_NOFILE, &limit) == 0
        #endif
        guard known else { return 256 }
        return Int(min(max(limit.rlim_cur / 4 * 3, 16), 16_384))
    }()
}
