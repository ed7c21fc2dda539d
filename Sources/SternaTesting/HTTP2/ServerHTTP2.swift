import NIOCore
import NIOHTTP2

/// The client's signs that make a server use HTTP/2; otherwise it uses HTTP/1.1.
///
/// A server with TLS considers only ALPN, one without only prior knowledge, so both may be set for either.
public struct ServerHTTP2: OptionSet, Sendable, Hashable {
    /// The signs as bits.
    public let rawValue: UInt8

    /// Makes the signs of those bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Over TLS, if the client offers `h2` (RFC 9113 §3.2): the server then prefers it to its other protocols.
    public static let byALPN = ServerHTTP2(rawValue: 1)
    /// In the clear, if the connection begins with HTTP/2's preface (RFC 9113 §3.3).
    public static let byPriorKnowledge = ServerHTTP2(rawValue: 2)
}

/// A server's HTTP/2 settings and limits of a connection.
public struct ServerHTTP2Settings: Sendable, Hashable {
    /// The number of streams a client may have open at once, `SETTINGS_MAX_CONCURRENT_STREAMS` (RFC 9113 §6.5.2): 100 by default.
    /// A client that has acknowledged this and opens more loses the connection by `PROTOCOL_ERROR`.
    public var maximumConcurrentStreams: Int
    /// The bytes a client may send on a stream before a window update, `SETTINGS_INITIAL_WINDOW_SIZE`: 0 to 2 147 483 647, 65 535
    /// by default. The window is updated as the route reads the body.
    public var initialWindowSize: Int
    /// The bytes a client may send on all streams together before a window update: 65 535, the default, to 2 147 483 647. The
    /// window is updated as bytes arrive, read or not. The first update opens a window above the default.
    public var connectionWindowSize: Int
    /// The number of requests on a connection, 1 or more: the last one causes a `GOAWAY` with its stream (RFC 9113 §6.8), later
    /// ones are ignored, and the connection ends with the last response. `nil`, the default, for any number.
    public var requestsPerConnection: Int?
    /// Whether clients may send an extended `CONNECT`, `SETTINGS_ENABLE_CONNECT_PROTOCOL` (RFC 8441): true by default. Without it
    /// they cannot switch protocols over HTTP/2, so a WebSocket needs HTTP/1.1.
    public var allowsExtendedConnect = true

    /// Settings with the defaults above.
    public init(
        maximumConcurrentStreams: Int = 100, initialWindowSize: Int = 65_535, connectionWindowSize: Int = 65_535,
        requestsPerConnection: Int? = nil
    ) {
        self.maximumConcurrentStreams = maximumConcurrentStreams
        self.initialWindowSize = initialWindowSize
        self.connectionWindowSize = connectionWindowSize
        self.requestsPerConnection = requestsPerConnection
    }

    /// The limit that NIO has for heads over HTTP/1.
    private static let headerListLimit = 80 << 10
    private static let windowLimit = 0x7FFF_FFFF

    var streamWindow: Int { min(max(0, initialWindowSize), Self.windowLimit) }

    var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxHeaderListSize, value: Self.headerListLimit),
            HTTP2Setting(parameter: .initialWindowSize, value: streamWindow),
            HTTP2Setting(
                parameter: .maxConcurrentStreams, value: min(max(0, maximumConcurrentStreams), Self.windowLimit)),
        ]
        if allowsExtendedConnect {
            configuration.initialSettings.append(HTTP2Setting(parameter: .enableConnectProtocol, value: 1))
        }
        configuration.targetWindowSize = min(max(65_535, connectionWindowSize), Self.windowLimit)
        configuration.maximumSequentialEmptyDataFrames = .max
        configuration.maximumRecentlyResetStreams = 1000
        configuration.maximumConnectionGlitches = .max
        configuration.controlFrameRateLimit.windowLength = Self.noWindow
        return configuration
    }

    var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        // ``HTTP2StreamHandler`` updates stream windows: NIO subtracts a change by `SETTINGS` from its target, which for a small
        // window would leave earlier streams without any.
        configuration.targetWindowSize = 0
        configuration.streamResetFrameRateLimit.windowLength = Self.noWindow
        configuration.streamErrorRateLimit.windowLength = Self.noWindow
        return configuration
    }

    /// Allows any rate, since the tests' clients may misbehave. A high count would do so, too, but would cost memory in every
    /// connection.
    private static let noWindow = TimeAmount.nanoseconds(1)
}
