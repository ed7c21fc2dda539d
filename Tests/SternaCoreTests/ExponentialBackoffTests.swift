import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Exponential back-off") struct ExponentialBackoffTests {
    @Test(
        "Waits grow by a factor up to the limit, and a share of each is random",
        arguments: [
            // The pool's: exact.
            (50, 2, 1_000, 0, 0, 0, 50), (50, 2, 1_000, 0, 4, 1, 800), (50, 2, 1_000, 0, 5, 0.5, 1_000),
            // Those of transfers and uploads: at least half.
            (1_000, 2, 300_000, 0.5, 0, 0, 500), (1_000, 2, 300_000, 0.5, 8, 1, 256_000),
            (1_000, 2, 300_000, 0.5, 9, 0, 150_000), (500, 2, 20_000, 0.5, 1, 0.5, 750),
            // Those of retries: from zero on.
            (250, 2, 20_000, 1, 3, 0, 0), (250, 2, 20_000, 1, 3, 0.25, 500), (250, 3, 20_000, 1, 2, 1, 2_250),
            (3_000, 1, 3_000, 0, 9, 0, 3_000), (250, 2, 20_000, 1, 5_000, 1, 20_000),
            // What makes no sense.
            (1_000, 2, 5_000, 0.5, .max, 1, 5_000), (1_000, 2, 5_000, 0.5, .min, 1, 1_000),
            (1_000, 2, 5_000, 1, 0, 7, 1_000), (1_000, 2, 5_000, 1, 0, -7, 0), (-4_000, 2, 5_000, 1, 1, 1, 0),
            (4_000, 2, -5_000, 1, 1, 1, 0), (1_000, -1, 5_000, 1, 9, 1, 0), (1_000, .infinity, 5_000, 1, 9, 1, 5_000),
            (1_000, .nan, 5_000, 0, 9, 1, 5_000), (1_000, 1e300, 5_000, 1, 9, 0.5, 2_500),
            (0, .infinity, 5_000, 0, 1, 1, 0), (0, 2, 5_000, 0.5, 1_000_000, 1, 0),
        ] as [(Int64, Double, Int64, Double, Int, Double, Int64)])
    func waits(
        first: Int64, factor: Double, limit: Int64, jitter: Double, number: Int, random: Double, expected: Int64
    ) {
        let backoff = ExponentialBackoff(
            first: .milliseconds(first), factor: factor, limit: .milliseconds(limit), jitter: jitter)
        expectEqual(backoff.delay(number, random: random), .milliseconds(expected))
    }

    @Test("The longest durations do not overflow")
    func extremes() {
        let century = Duration.seconds(100 * 366 * 86_400)
        let endless = ExponentialBackoff(first: .seconds(Int64.max), limit: .seconds(Int64.max), jitter: 0)
        expectEqual(endless.delay(9, random: 1), century)
        let growing = ExponentialBackoff(first: .nanoseconds(1), limit: .seconds(Int64.max))
        expectEqual(growing.delay(.max, random: 1), century)
    }
}
