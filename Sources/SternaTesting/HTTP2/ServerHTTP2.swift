import NIOCore
import NIOHTTP2

/// By which sign of the client a server speaks HTTP/2 with it; without any it speaks HTTP/1.1.
///
/// A server with TLS goes by ALPN only, one without by prior knowledge only, so both may be named for either.
public struct ServerHTTP2: OptionSet, Sendable, Hashable {
    /// The signs as bits.
    public let rawValue: UInt8

    /// The signs of those bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Over TLS, where the client offers `h2` (RFC 9113 §3.2): the server then offers it before its other protocols.
    public static let byALPN = ServerHTTP2(rawValue: 1)
    /// In the clear, where the connection begins with HTTP/2's preface (RFC 9113 §3.3).
    public static let byPriorKnowledge = ServerHTTP2(rawValue: 2)
}

/// What a server announces over HTTP/2 and how long it keeps a connection.
public struct ServerHTTP2Settings: Sendable, Hashable {
    /// How many streams a client may have open at once, `SETTINGS_MAX_CONCURRENT_STREAMS` (RFC 9113 §6.5.2): 100 by
    /// default. A client that has acknowledged this and opens more loses the connection by `PROTOCOL_ERROR`.
    public var maximumConcurrentStreams: Int
    /// The bytes a client may send on a stream before it is given more, `SETTINGS_INITIAL_WINDOW_SIZE`: 0 to
    /// 2 147 483 647, 65 535 by default. More is given as the route reads the body.
    public var initialWindowSize: Int
    /// The bytes a client may send on all streams together before it is given more: 65 535, the default, to
    /// 2 147 483 647. More is given as they come, read or not; a larger window than the default opens with the first.
    public var connectionWindowSize: Int
    /// How many requests a connection takes: with the last one goes a `GOAWAY` of its stream (RFC 9113 §6.8), later
    /// ones are ignored, and the connection ends with the last response. `nil`, the default, for any number.
    public var requestsPerConnection: Int?

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

    /// As long a head as NIO takes over HTTP/1.
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
        configuration.targetWindowSize = min(max(65_535, connectionWindowSize), Self.windowLimit)
        configuration.maximumSequentialEmptyDataFrames = .max
        configuration.maximumRecentlyResetStreams = 1000
        configuration.maximumConnectionGlitches = .max
        configuration.controlFrameRateLimit.windowLength = Self.noWindow
        return configuration
    }

    var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        // What is given on a stream is ``HTTP2StreamHandler``'s affair: NIO takes the change that `SETTINGS` bring off
        // its target, which for a small window leaves those streams without any that began before.
        configuration.targetWindowSize = 0
        configuration.streamResetFrameRateLimit.windowLength = Self.noWindow
        configuration.streamErrorRateLimit.windowLength = Self.noWindow
        return configuration
    }

    /// Lets any rate pass, as the tests' clients may be as rude as they like. A high count would do so too, at the
    /// price of memory for it in every connection.
    private static let noWindow = TimeAmount.nanoseconds(1)
}
