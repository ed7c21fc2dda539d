import NIOHTTP2

/// The settings that the peer has announced (RFC 9113, 6.5.2); a value without I/O.
struct PeerSettings {
    /// The number of streams opened before the peer has announced its limit (RFC 9113, 6.5.2 asks for no fewer).
    static let assumedStreams = 100

    /// The most streams that are opened, whatever the peer allows: resets must be remembered.
    static let mostStreams = 256

    private(set) var maximumStreams: Int
    private(set) var initialWindow = 65_535
    private(set) var maximumFrame = 16_384

    /// Whether the peer takes extended CONNECT requests (RFC 8441, 3).
    private(set) var takesExtendedConnect = false

    /// Whether the peer's first settings have arrived.
    private(set) var isKnown = false

    /// - Parameter maximumStreams: the limit that the peer announced before.
    init(maximumStreams: Int = Self.assumedStreams) { self.maximumStreams = maximumStreams }

    /// Applies new settings. Returns by how much the windows of open streams change.
    ///
    /// The library that decodes the frames has checked that each setting is within its range.
    mutating func take(_ settings: [HTTP2Setting]) -> Int {
        let before = initialWindow
        for setting in settings {
            switch setting.parameter {
            case .maxConcurrentStreams: maximumStreams = min(setting.value, Self.mostStreams)
            case .initialWindowSize: initialWindow = setting.value
            case .maxFrameSize: maximumFrame = setting.value
            case .enableConnectProtocol: takesExtendedConnect = setting.value == 1
            default: break
            }
        }
        isKnown = true
        return initialWindow - before
    }
}
