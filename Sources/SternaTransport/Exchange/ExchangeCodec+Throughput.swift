import NIOCore
import SternaCore

/// Bytes moved for one exchange.
struct Throughput {
    var sent = 0
    var received = 0

    /// The bytes that had moved when the current throughput window began.
    var counted = 0
}

/// Measures whether an exchange is fast enough.
extension ExchangeCodec {
    /// Starts a new throughput window when the exchange waits for the peer again.
    final func measureAnew() {
        throughputWindow = shard.clock.now
        throughput.counted = moved
        if let least = exchange?.request.timeouts.minimumThroughput {
            shard.tickNoLater(than: throughputWindow + least.amount)
        }
    }

    final var moved: Int { takenBytes + throughput.received }

    /// Returns whether enough bytes moved in the throughput window; if so, starts a new window.
    final func isFastEnough(_ least: Timeouts.Throughput, at now: NIODeadline) -> Bool {
        let moved = moved
        let seconds = Double((now - throughputWindow).nanoseconds) / 1e9
        guard Double(moved - throughput.counted) >= Double(least.bytesPerSecond) * seconds else { return false }
        throughputWindow = now
        throughput.counted = moved
        return true
    }
}
