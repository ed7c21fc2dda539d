import NIOCore
import SternaCore

/// The requests to an origin that its rate allows: a token bucket as a value, without a clock (GCRA).
struct RequestBucket: Sendable {
    /// What a request has to do.
    enum Turn: Sendable, Hashable {
        /// Wait, perhaps not at all; the bucket has counted the request.
        case after(Duration)
        /// Not be sent, since it would wait too long; the bucket has not counted it.
        case refuse(Duration)
    }

    /// When the bucket would be full again.
    private var fullAt: NIODeadline?

    /// The end of a pause that the server has asked for.
    private var heldUntil: NIODeadline?

    /// The maximum of all times, so that no sum of them overflows.
    private static let longest = Duration.seconds(366 * 86_400)

    /// Takes a token, now or in future.
    ///
    /// - Parameters:
    ///   - interval: the time in which a token is made.
    ///   - burst: the number of tokens that the bucket holds, from 1.
    ///   - longest: the longest wait.
    mutating func take(interval: Duration, burst: Int, longest: Duration, at now: NIODeadline) -> Turn {
        let step = TimeAmount(clamping: min(interval, Self.longest))
        let (product, overflow) = step.nanoseconds.multipliedReportingOverflow(by: Int64(max(burst, 1)) - 1)
        let most = TimeAmount(clamping: Self.longest).nanoseconds
        let room = overflow ? most : min(product, most)
        let start = max(fullAt ?? now, now)
        let debt = (start - now).nanoseconds
        var wait = max(0, debt - room)
        if let heldUntil, heldUntil > now { wait = max(wait, (heldUntil - now).nanoseconds) }
        let duration = Duration.nanoseconds(wait)
        guard duration <= min(longest, Self.longest) else { return .refuse(duration) }
        // After a pause the tokens come one by one.
        let begin = heldUntil.map { max($0, start) } ?? start
        fullAt = begin + step
        return .after(duration)
    }

    /// Holds back further requests.
    mutating func hold(for duration: Duration, at now: NIODeadline) {
        let end = now + TimeAmount(clamping: duration)
        heldUntil = max(heldUntil ?? end, end)
    }
}
