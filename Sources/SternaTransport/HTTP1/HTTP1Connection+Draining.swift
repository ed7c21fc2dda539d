import HTTPTypes
import NIOCore
import SternaCore

/// The unread rest of a body, which is discarded so that the connection can be reused.
struct Drain {
    /// The number of bytes that may still arrive.
    var left: Int
    let timer: ClockTimer
}

/// Discards the rest of a body that the caller does not read.
extension HTTP1Connection {
    /// The maximum number of bytes read to save the connection, and the maximum time for them.
    static let drainedBytes = 64 << 10
    static let drainTime = TimeAmount.milliseconds(250)

    /// Whether the rest of a body is so short that reading it costs less than another connection.
    var canDrain: Bool {
        guard writer == nil, held == nil, !isClosing, exchange != nil, parser.isPersistent, let left = parser.remaining
        else { return false }
        return left <= Self.drainedBytes
    }

    /// Reads and discards the rest of the body, whose pipe was abandoned.
    ///
    /// - Parameter isAwaited: whether requests wait for the connection, for the length of a rest, before they dial another.
    func beginDrain(isAwaited: Bool) {
        let timer = shard.clock.schedule(in: Self.drainTime, on: shard.loop) {
            if self.drain != nil { self.fail(.cancelled(phase: .read)) }
        }
        drain = Drain(left: Self.drainedBytes, timer: timer)
        if isAwaited { beginRest { self.endRest() } }
        resumeReading()
    }

    func endDrain() {
        drain?.timer.cancel()
        drain = nil
        endRest()
    }

    func drained(_ bytes: Int) {
        drain?.left -= bytes
        if let left = drain?.left, left < 0 { fail(.cancelled(phase: .read)) }
    }
}
