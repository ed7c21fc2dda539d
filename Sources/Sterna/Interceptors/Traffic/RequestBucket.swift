import NIOCore
import SternaCore

/// A token bucket for the requests to an origin (GCRA).
///
/// A request takes its token when it is sent. While it waits, it only has a position in the queue, so that a request that gives up
/// costs no token, and a pause that the server asks for applies to requests that wait already.
struct RequestBucket: Sendable {
    /// The rate.
    struct Pace: Sendable, Hashable {
        /// The time between two tokens.
        let interval: Duration

        /// The capacity of the bucket, at least 1 token.
        let burst: Int
    }

    /// How a request proceeds.
    enum Decision: Sendable, Hashable {
        /// It is sent; the bucket has counted it.
        case send
        /// It waits for this time, and asks again.
        case wait(Duration)
        /// It is not sent, since it would wait this time, which is too long; it has left the queue.
        case refuse(Duration)
    }

    /// When the bucket would be full again.
    private var fullAt: NIODeadline?

    /// The end of a pause that the server has asked for.
    private var heldUntil: NIODeadline?

    /// The waiting requests, in order.
    private(set) var queue: [UInt64] = []

    /// The maximum of all times in nanoseconds, so that no sum overflows.
    private static let longest = TimeAmount(clamping: .seconds(366 * 86_400)).nanoseconds

    /// Returns how a request proceeds now.
    ///
    /// - Parameters:
    ///   - ticket: the unique number of the request.
    ///   - longest: the maximum wait from now on. It refuses new requests, and queued ones that a pause of the server delays;
    ///     other queued requests keep waiting, even if their turn comes slightly later than calculated before.
    ///   - timeLeft: the time until the request must be complete; nil without a deadline.
    mutating func decide(
        _ ticket: UInt64, _ pace: Pace, longest: Duration, timeLeft: Duration? = nil, at now: NIODeadline
    ) -> Decision {
        let index = queue.firstIndex(of: ticket)
        let step = min(max(TimeAmount(clamping: pace.interval).nanoseconds, 0), Self.longest)
        let room = Self.product(step, max(pace.burst, 1) - 1)
        let pause = heldUntil.map { max(0, ($0 - now).nanoseconds) } ?? 0
        // The requests before it in the queue take their tokens first.
        let debt = max(pause, fullAt.map { ($0 - now).nanoseconds } ?? 0)
        let ahead = Self.product(step, index ?? queue.count)
        let rest = max(pause, debt + ahead - room)
        guard rest > 0 else {
            if let index { queue.remove(at: index) }
            fullAt = now + .nanoseconds(debt + step)
            return .send
        }
        let wait = Duration.nanoseconds(rest)
        let isBounded = index == nil || pause > 0
        let isTooLong = rest > Self.longest || isBounded && wait > longest
        if isTooLong || timeLeft.map({ wait >= $0 }) == true {
            if let index { queue.remove(at: index) }
            return .refuse(wait)
        }
        if index == nil { queue.append(ticket) }
        return .wait(wait)
    }

    /// Removes a request that gives up from the queue.
    mutating func leave(_ ticket: UInt64) {
        if let index = queue.firstIndex(of: ticket) { queue.remove(at: index) }
    }

    private static func product(_ step: Int64, _ count: Int) -> Int64 {
        let (product, overflow) = step.multipliedReportingOverflow(by: Int64(count))
        return overflow ? longest : min(product, longest)
    }

    /// Delays further requests and those in the queue.
    mutating func hold(for duration: Duration, at now: NIODeadline) {
        let end = now + TimeAmount(clamping: duration)
        heldUntil = max(heldUntil ?? end, end)
    }
}
