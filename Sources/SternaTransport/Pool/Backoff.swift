import NIOCore
import SternaCore

/// Delays dials to an endpoint after failed ones; a value without a clock.
///
/// The first two failures cause no delay. From the third in a row on, one dial runs at a time, after a pause that grows from 50
/// ms to a second. When that dial fails, all waiters that arrived before it began fail too.
struct Backoff: Hashable {
    private static let pauses = ExponentialBackoff(first: .milliseconds(50), limit: .seconds(1), jitter: 0)

    private(set) var failures = 0

    /// No dial begins before this moment, in nanoseconds.
    private(set) var notBefore: Int64 = .min

    /// Whether dials are limited to one at a time, which shows if others would succeed.
    var isProbing: Bool { failures >= 3 }

    /// Returns how many dials may be under way at a moment, given the maximum without failures.
    func allowed(of maximum: Int, at now: Int64) -> Int {
        guard isProbing else { return maximum }
        return now >= notBefore ? 1 : 0
    }

    // Dials that were under way at the same time count as one failure.
    private var lastFailure: Int64 = .min

    /// - Parameter began: when the failed dial began.
    mutating func failed(at now: Int64, began: Int64) {
        guard began >= lastFailure else { return }
        lastFailure = now
        failures = min(failures + 1, 1_000)
        guard isProbing else { return }
        let pause = TimeAmount(clamping: Self.pauses.delay(failures - 3, random: 0))
        notBefore = now.addingReportingOverflow(pause.nanoseconds).partialValue
    }

    mutating func succeeded() { self = Backoff() }
}
