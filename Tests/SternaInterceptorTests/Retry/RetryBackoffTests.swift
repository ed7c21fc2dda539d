import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The waits between attempts.
@Suite("Retry: back-off")
struct RetryBackoffTests {
    @Test("The maximum doubles up to the cap")
    func growth() {
        let backoff = RetryBackoff(base: .milliseconds(500), cap: .seconds(10))
        let most = (0..<8).map { backoff.delay(before: $0, random: 1) }
        expectEqual(most, [0.5, 1, 2, 4, 8, 10, 10, 10].map { .seconds($0) })
        expectEqual(backoff.delay(before: 5_000, random: 1), .seconds(10))
        expectEqual(backoff.delay(before: 3, random: 0), .zero)
    }

    @Test("Full jitter: evenly between zero and the maximum", arguments: 0..<6)
    func distribution(retry: Int) {
        var generator = SeededRandom(seed: 22 + UInt64(retry))
        let backoff = RetryBackoff()
        let longest = backoff.delay(before: retry, random: 1) / .seconds(1)
        var tenths = [Int](repeating: 0, count: 10)
        let count = 20_000
        for _ in 0..<count {
            let delay = backoff.delay(before: retry, random: .random(in: 0..<1, using: &generator)) / .seconds(1)
            #expect(delay >= 0 && delay <= longest)
            tenths[min(Int(delay / longest * 10), 9)] += 1
        }
        // Each tenth has 2,000 of them; six standard deviations are 254.
        for tenth in tenths { #expect(abs(tenth - count / 10) < 260, "\(tenths)") }
    }

    @Test("Constant waits, and settings that make no sense")
    func odd() {
        #expect(
            (0..<4).map { RetryBackoff.constant(.seconds(3)).delay(before: $0, random: 0) }.allSatisfy {
                $0 == .seconds(3)
            })
        for factor in [-1.0, .infinity, .nan, 1e300] {
            let delay = RetryBackoff(base: .seconds(1), factor: factor, cap: .seconds(5)).delay(before: 9, random: 0.9)
            #expect(delay >= .zero && delay <= .seconds(5), "\(factor)")
        }
        expectEqual(RetryBackoff(base: .seconds(-4), cap: .seconds(5)).delay(before: 1, random: 1), .zero)
        expectEqual(RetryBackoff(base: .seconds(4), cap: .seconds(-5)).delay(before: 1, random: 1), .zero)
    }
}
