import NIOCore
import SternaCore

/// Streams of paused calls.
extension HTTP2Connection {
    /// The maximum number of unread bytes that the streams of paused calls hold together. Beyond it, calls that may give up their
    /// streams do so.
    static var maximumPausedBytes: Int { 16 << 20 }

    /// Has paused calls give up their streams, those with the most unread bytes first, until the others are within the limit.
    func boundPausedBytes() {
        shard.loop.assertInEventLoop()
        var held: [(bytes: Int, call: Call)] = []
        for stream in streams.values {
            if let call = stream.exchange?.call, call.isPaused, let bytes = stream.pipe?.storedBytes {
                held.append((bytes, call))
            }
        }
        var total = held.reduce(0) { $0 + $1.bytes }
        guard total > Self.maximumPausedBytes else { return }
        for (bytes, call) in held.sorted(by: { $0.bytes > $1.bytes }) where call.giveUpConnections() {
            total -= bytes
            if total <= Self.maximumPausedBytes { return }
        }
    }
}
