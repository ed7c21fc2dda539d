package import NIOCore
import SternaPlatform

/// A smoothed rate in bytes per second, which follows the throughput within a few seconds. It has no clock; callers pass the time.
///
/// It is the exponentially weighted mean of the rates of steps of at least a tenth of a second.
package struct SmoothedRate: Sendable, Hashable {
    /// The seconds in which an old rate loses two thirds of its weight.
    private static let memory = 3.0

    /// The minimum length of a step, in nanoseconds.
    private static let step: UInt64 = 100_000_000

    private var weighted = 0.0
    private var weight = 0.0
    private var pending = 0.0
    private var since: NIODeadline?

    package init() {}

    /// Adds bytes transferred now. Negative counts add nothing; bytes with an earlier time than before count toward the current
    /// step.
    package mutating func add(_ bytes: Int64, at now: NIODeadline) {
        let start = since ?? now
        since = start
        pending += Double(max(0, bytes))
        guard now > start, now.uptimeNanoseconds - start.uptimeNanoseconds >= Self.step else { return }
        self = folded(at: now, start)
    }

    /// Returns the current rate, which sinks while nothing is transferred; nil until there is enough data.
    package func rate(at now: NIODeadline) -> Double? {
        var current = self
        if let since, now > since, now.uptimeNanoseconds - since.uptimeNanoseconds >= Self.step {
            current = folded(at: now, since)
        }
        return current.weight > 0 ? current.weighted / current.weight : nil
    }

    private func folded(at now: NIODeadline, _ start: NIODeadline) -> SmoothedRate {
        let seconds = Double(now.uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        let kept = exp(-seconds / Self.memory)
        var next = SmoothedRate()
        // Dividing by the summed weights avoids a bias toward zero at the beginning.
        next.weighted = weighted * kept + pending / seconds * (1 - kept)
        next.weight = weight * kept + (1 - kept)
        next.since = now
        return next
    }
}
