import HTTPTypes
import NIOCore
import SternaCore

/// What is left of a body that nobody reads, thrown away so that the connection can be used again.
struct Drain {
    /// How many bytes may still come.
    var left: Int
    let timer: ClockTimer
}

/// Connections that carry nothing that somebody waits for.
extension HTTP1Connection {
    /// The most that is read for the sake of the connection alone, and how long it may take.
    static let drainedBytes = 64 << 10
    static let drainTime = TimeAmount.milliseconds(250)

    /// Whether the rest of a body is so short that it costs less than another connection.
    var canDrain: Bool {
        guard writer == nil, held == nil, !isClosing, exchange != nil, parser.isPersistent, let left = parser.remaining
        else { return false }
        return left <= Self.drainedBytes
    }

    /// Reads on for nobody: the pipe that the bytes go through has been given up.
    func beginDrain() {
        let timer = shard.clock.schedule(in: Self.drainTime, on: shard.loop) {
            if self.drain != nil { self.fail(.cancelled(phase: .read)) }
        }
        drain = Drain(left: Self.drainedBytes, timer: timer)
        resumeReading()
    }

    func drained(_ bytes: Int) {
        drain?.left -= bytes
        if let left = drain?.left, left < 0 { fail(.cancelled(phase: .read)) }
    }

    /// The exchange is only for the sake of the connection, which is there now.
    func warmedUp(_ exchange: Exchange) {
        shard.remove(exchange)
        hasStoodIdle = true
        shard.release(self)
        // Only now: the caller's next request must find the connection, and open none beside it.
        exchange.endWarmUp()
    }
}
