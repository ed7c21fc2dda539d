import NIOHTTP2

/// What the peer has said it takes (RFC 9113, 6.5.2); a value without I/O.
struct PeerSettings {
    /// How many streams are opened before the peer has said how many it takes (RFC 9113, 6.5.2 asks for no fewer).
    static let assumedStreams = 100

    /// More streams than that are not opened, whatever it takes: what is reset must be remembered.
    static let mostStreams = 256

    private(set) var maximumStreams: Int
    private(set) var initialWindow = 65_535
    private(set) var maximumFrame = 16_384

    /// Whether its first settings have come.
    private(set) var isKnown = false

    /// - Parameter maximumStreams: how many streams it has taken before.
    init(maximumStreams: Int = Self.assumedStreams) { self.maximumStreams = maximumStreams }

    /// Takes new settings; returns by how much the windows of open streams change.
    ///
    /// That each is within its range was seen to by the library that decodes the frames.
    mutating func take(_ settings: [HTTP2Setting]) -> Int {
        let before = initialWindow
        for setting in settings {
            switch setting.parameter {
            case .maxConcurrentStreams: maximumStreams = min(setting.value, Self.mostStreams)
            case .initialWindowSize: initialWindow = setting.value
            case .maxFrameSize: maximumFrame = setting.value
            default: break
            }
        }
        isKnown = true
        return initialWindow - before
    }
}
