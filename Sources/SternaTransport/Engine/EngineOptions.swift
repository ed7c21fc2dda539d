public import SternaCore
import SternaPlatform

/// How an engine opens and keeps its connections.
public struct EngineOptions: Sendable {
    /// How many connections may be open to one origin at a time; further requests wait. 128 by default, at least 1.
    ///
    /// Sessions that trust, show or dial differently, and different proxies, have such a number each, since their connections are
    /// never shared; ``maximumConnections`` bounds them all.
    public var maximumConnectionsPerOrigin = 128

    /// How many requests may wait for a connection to one origin at a time; further ones fail at once, with `limitExceeded`.
    /// Those that a connection is being opened for do not count. Without limit by default, at least 1.
    public var maximumWaitingPerOrigin: Int?

    /// How many connections may be open in all; further requests wait, each origin in turn. By default three quarters of the
    /// files that this process may have open, at least 16 and at most 16,384.
    public var maximumConnections = Self.defaultMaximumConnections

    /// How long a connection is kept that nobody uses; 50 s by default, below what most servers allow. A server that says less
    /// (`Keep-Alive: timeout`) is heeded.
    public var idleTimeout: Duration = .seconds(50)

    /// How old a connection may become; it is then not used again. Without limit by default.
    public var maximumAge: Duration?

    /// How many requests a connection may carry; without limit by default.
    public var maximumUses: Int?

    /// How HTTP/2 connections are kept.
    public var http2 = HTTP2Options()

    /// How much of a response's framing is read.
    public var limits = Limits()

    /// Finds the addresses of hosts; asks the system by default.
    public var resolver: any HostResolver = SystemResolver()

    /// How long addresses are kept for which the resolver gives no time to live; 60 s by default, nothing is kept for zero.
    public var resolvedLifetime: Duration = .seconds(60)

    /// The kinds of addresses that are connected to; both by default.
    public var addressFamilies = AddressFamilies.any

    /// The head start of one address before the next one is tried (RFC 8305, 5); 250 ms by default, at least 10 ms.
    public var attemptDelay: Duration = .milliseconds(250)

    /// The address of this machine that connections are opened from; the system's choice by default.
    public var sourceAddress: IPAddress?

    /// Whether the system probes idle connections (TCP keep-alive); yes by default.
    public var keepsAlive = true

    /// Whether small pieces leave at once and do not wait for more (TCP_NODELAY); yes by default.
    public var noDelay = true

    /// Addresses to connect to in place of those of a host's name, by `host:port`, the host in lower case; curl's `--resolve`.
    /// Names in certificates and requests stay the host's.
    public var hostOverrides: [String: [String]] = [:]

    /// The clock that all limits are measured by; the system's by default. Tests set another one.
    public var clock = NetworkClock.system

    // How long the first connection to a server may take that may speak HTTP/2 before those who wait for it have others opened.
    package var firstDialPatience: Duration = .milliseconds(300)

    // How long a body waits for a server that does not ask for it: curl's second.
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
