import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What a peer has allowed a client to send, by which every frame of DATA in the log is judged (RFC 9113 §6.9).
///
/// What is allowed counts from the moment before it is sent; what is taken back, from its acknowledgement.
struct WindowLedger {
    private struct Limits {
        /// How many frames had come when it was sent.
        let from: Int
        let window: Int
        let frame: Int
    }

    private let connection: PeerConnection
    private var grants: [(from: Int, stream: UInt32, bytes: Int)] = []
    private var limits = [Limits(from: 0, window: PeerState.initialWindow, frame: HTTP2Scene.frame)]

    init(_ connection: PeerConnection) { self.connection = connection }

    /// Greets the client with SETTINGS, and opens the connection's window.
    mutating func greet(settings: [(UInt16, UInt32)] = [], connectionWindow: Int = PeerState.initialWindow)
        async throws
    {
        note(settings)
        try await connection.greet(settings: settings)
        let more = connectionWindow - PeerState.initialWindow
        if more > 0 { try await grant(0, more) }
    }

    /// Opens a window, the connection's for stream 0.
    mutating func grant(_ stream: UInt32, _ bytes: Int) async throws {
        grants.append((count, stream, bytes))
        try await connection.send(.windowUpdate(stream, UInt32(bytes)))
    }

    /// Changes SETTINGS, and waits until the client has made them its own.
    mutating func change(_ settings: [(UInt16, UInt32)]) async throws {
        note(settings)
        try await connection.send(.settings(settings))
        try await connection.roundTrip()
    }

    /// Judges all that came.
    func check(location: SourceLocation = #_sourceLocation) {
        var acknowledged = 0
        var sent: [UInt32: Int] = [:]
        for (index, frame) in connection.log.enumerated() {
            if frame.kind == .settings, frame.isAck { acknowledged += 1 }
            guard frame.kind == .data else { continue }
            sent[0, default: 0] += frame.payload.count
            sent[frame.stream, default: 0] += frame.payload.count
            let known = limits.dropFirst(acknowledged).filter { $0.from <= index }
            let window = (known.map(\.window).max() ?? 0) + granted(frame.stream, at: index)
            let whole = PeerState.initialWindow + granted(0, at: index)
            let size = known.map(\.frame).max() ?? 0
            guard frame.payload.count > 0 else { continue }
            let excess = [
                (sent[frame.stream, default: 0] - window, "its window"),
                (sent[0, default: 0] - whole, "the connection"),
                (frame.payload.count - size, "a frame"),
            ]
            for (bytes, what) in excess where bytes > 0 {
                Issue.record(
                    "Frame \(index), \(frame), is \(bytes) bytes too many for \(what)", sourceLocation: location)
                return
            }
        }
        expectEqual(acknowledged, limits.count - 1, "acknowledgements of SETTINGS", sourceLocation: location)
    }

    private var count: Int { connection.look { $0.log.count } }

    private func granted(_ stream: UInt32, at index: Int) -> Int {
        grants.reduce(0) { $1.stream == stream && $1.from <= index ? $0 + $1.bytes : $0 }
    }

    private mutating func note(_ settings: [(UInt16, UInt32)]) {
        func last(_ identifier: UInt16) -> Int? { settings.last { $0.0 == identifier }.map { Int($0.1) } }
        let now = limits[limits.count - 1]
        limits.append(
            Limits(
                from: count, window: last(WireFrame.Setting.initialWindowSize) ?? now.window,
                frame: last(WireFrame.Setting.maxFrameSize) ?? now.frame))
    }
}
