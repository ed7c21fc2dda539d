import NIOCore
import SternaPlatform

/// The delays between attempts: each is longer than the last, up to a limit, and a share of it is chosen at random, so that clients
/// that failed together do not come back together. It has no clock and no random numbers; callers pass them.
package struct ExponentialBackoff: Sendable, Hashable {
    /// The maximum of the first delay.
    package let first: Duration

    /// The factor by which the maximum grows with each attempt.
    package let factor: Double

    /// The limit of all delays.
    package let limit: Duration

    /// The share of a delay that is random, from 0 for exact delays to 1 for delays between zero and the maximum.
    package let jitter: Double

    package init(first: Duration, factor: Double = 2, limit: Duration, jitter: Double = 0.5) {
        (self.first, self.factor, self.limit, self.jitter) = (first, factor, limit, jitter)
    }

    /// Returns a delay to the nearest nanosecond, a hundred years at most.
    ///
    /// - Parameters:
    ///   - number: the number of the delay, counted from 0.
    ///   - random: a random number from 0 to 1.
    package func delay(_ number: Int, random: Double) -> Duration {
        let limit = Self.nanoseconds(limit)
        // Finite, so that no delay at first stays none.
        let growth = min(pow(max(factor, 0), Double(max(number, 0))), .greatestFiniteMagnitude)
        // May be infinite, or not a number, for a factor that makes no sense.
        let product = Self.nanoseconds(first) * growth
        let longest = product.isFinite ? min(product, limit) : limit
        let chosen = longest * (1 - jitter) + longest * jitter * min(max(random, 0), 1)
        return .nanoseconds(Int64(chosen.rounded()))
    }

    private static func nanoseconds(_ duration: Duration) -> Double {
        Double(TimeAmount(clamping: duration).nanoseconds)
    }
}
