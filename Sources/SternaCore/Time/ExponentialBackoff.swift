import NIOCore
import SternaPlatform

/// Growing delays between attempts, up to a limit. A share of each is random, so that clients that failed at the same time do not
/// retry at the same time. Callers pass the random numbers.
package struct ExponentialBackoff: Sendable, Hashable {
    /// The maximum of the first delay.
    package let first: Duration

    /// The factor by which the maximum grows with each attempt.
    package let factor: Double

    /// The maximum of all delays.
    package let limit: Duration

    /// The share of a delay that is random, from 0 for exact delays to 1 for delays between zero and the maximum.
    package let jitter: Double

    package init(first: Duration, factor: Double = 2, limit: Duration, jitter: Double = 0.5) {
        (self.first, self.factor, self.limit, self.jitter) = (first, factor, limit, jitter)
    }

    /// Returns a delay to the nearest nanosecond, at most a hundred years.
    ///
    /// - Parameters:
    ///   - number: the number of the delay, counted from 0.
    ///   - random: a random number from 0 to 1.
    package func delay(_ number: Int, random: Double) -> Duration {
        let limit = Self.nanoseconds(limit)
        // Finite, so that a first delay of zero stays zero.
        let growth = min(pow(max(factor, 0), Double(max(number, 0))), .greatestFiniteMagnitude)
        // May be infinite or NaN for an invalid factor.
        let product = Self.nanoseconds(first) * growth
        let longest = product.isFinite ? min(product, limit) : limit
        let chosen = longest * (1 - jitter) + longest * jitter * min(max(random, 0), 1)
        return .nanoseconds(Int64(chosen.rounded()))
    }

    private static func nanoseconds(_ duration: Duration) -> Double {
        Double(TimeAmount(clamping: duration).nanoseconds)
    }
}
