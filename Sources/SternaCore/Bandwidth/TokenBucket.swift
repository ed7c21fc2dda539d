package import NIOCore

/// A token bucket: one token for each byte, refilled at a rate up to a burst. It has no clock; callers pass the time.
///
/// Over any period at one rate, the granted bytes are at most the rate times the period, plus ``burst``.
package struct TokenBucket: Sendable {
    /// The result of a request for tokens.
    package enum Verdict: Sendable, Hashable {
        /// Tokens for this many bytes were taken.
        case granted(Int)
        /// No tokens were taken; unless others take them, they are available after this time, at most a day.
        case wait(TimeAmount)
    }

    /// Bytes per second, at least 1; nil for no limit.
    package private(set) var rate: Int?

    /// Whole bytes, at most the burst.
    private var tokens = 0

    /// Billionths of a byte beyond the whole ones, below a billion.
    private var fraction: UInt64 = 0

    /// The time up to which tokens were added; nil before the first request.
    private var refilledAt: NIODeadline?

    private static let second: UInt64 = 1_000_000_000
    private static let longestWait = TimeAmount.hours(24)

    /// Makes a full bucket.
    package init(rate: Int?) {
        self.rate = rate.map { max(1, $0) }
        if self.rate != nil { tokens = burst }
    }

    /// The capacity in bytes: those of a sixteenth of a second, at least 1. Timers that are late by less than that lose no tokens.
    package var burst: Int { rate.map { max(1, $0 / 16) } ?? .max }

    /// Takes tokens for up to `count` bytes if there are tokens for at least `least` of them.
    ///
    /// Both count as at least 1, and `least` as at most `count` and the burst, so that every request can be granted.
    package mutating func take(upTo count: Int, atLeast least: Int, at now: NIODeadline) -> Verdict {
        refill(at: now)
        let count = max(1, count)
        guard let rate else { return .granted(count) }
        let least = min(max(1, least), count, burst)
        guard tokens >= least else { return .wait(time(for: least - tokens, rate)) }
        let granted = min(count, tokens)
        tokens -= granted
        return .granted(granted)
    }

    /// Changes the rate. Tokens up to the new burst are kept; after a time without a limit the bucket is empty.
    ///
    /// - Parameter now: the current time; nil if no tokens were requested before.
    package mutating func setRate(_ rate: Int?, at now: NIODeadline?) {
        if let now { refill(at: now) }
        let wasLimited = self.rate != nil
        self.rate = rate.map { max(1, $0) }
        guard wasLimited, self.rate != nil else { return empty() }
        guard tokens >= burst else { return }
        tokens = burst
        fraction = 0
    }

    private mutating func empty() { (tokens, fraction) = (0, 0) }

    private mutating func refill(at now: NIODeadline) {
        let last = refilledAt ?? now
        // A time in the past adds no tokens: engines with different clocks may share a limit.
        refilledAt = max(last, now)
        guard let rate, now > last else { return }
        let elapsed = now.uptimeNanoseconds - last.uptimeNanoseconds
        let product = elapsed.multipliedFullWidth(by: UInt64(rate))
        let (low, carry) = product.low.addingReportingOverflow(fraction)
        // The high half of a product with a positive `Int` cannot overflow.
        let high = product.high &+ (carry ? 1 : 0)
        let room = UInt64(burst - tokens)
        guard high < Self.second else { return fill() }
        let (bytes, rest) = Self.second.dividingFullWidth((high, low))
        guard bytes < room else { return fill() }
        tokens += Int(bytes)
        fraction = rest
    }

    private mutating func fill() { (tokens, fraction) = (burst, 0) }

    /// Returns the time in which this many tokens are added.
    private func time(for missing: Int, _ rate: Int) -> TimeAmount {
        let rate = UInt64(rate)
        let product = UInt64(missing).multipliedFullWidth(by: Self.second)
        let (low, borrow) = product.low.subtractingReportingOverflow(fraction)
        // The fraction is less than one byte, and at least one is missing.
        let high = product.high &- (borrow ? 1 : 0)
        guard high < rate else { return Self.longestWait }
        let (nanoseconds, rest) = rate.dividingFullWidth((high, low))
        guard nanoseconds < UInt64(Self.longestWait.nanoseconds) else { return Self.longestWait }
        return .nanoseconds(Int64(nanoseconds) + (rest > 0 ? 1 : 0))
    }
}
