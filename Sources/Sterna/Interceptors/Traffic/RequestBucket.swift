import NIOCore
import SternaCore

/// The requests to an origin that its rate allows: a token bucket as a value, without a clock (GCRA).
///
/// A request takes its token when it is sent. While it waits it only has a position in the queue, so that a request that gives up
/// costs nothing, and a pause that the server asks for holds for those that wait already.
struct RequestBucket: Sendable {
    /// The rate.
    struct Pace: Sendable, Hashable {
        /// The time in which a token is made.
        let interval: Duration

        /// The number of tokens that the bucket holds, from 1.
        let burst: Int
    }

    /// What a request has to do.
    enum Decision: Sendable, Hashable {
        /// Be sent; the bucket has counted it.
        case send
        /// Wait, and ask again then.
        case wait(Duration)
        /// Not be sent, since it would wait too long; it has left the queue.
        case refuse(Duration)
    }

    /// When the bucket would be full again.
    private var fullAt: NIODeadline?

    /// The end of a pause that the server has asked for.
    private var heldUntil: NIODeadline?

    /// The requests that wait, in order.
    private(set) var queue: [UInt64] = []

    /// The maximum of all times, so that no sum of them overflows.
    private static let longest = TimeAmount(clamping: .seconds(366 * 86_400)).nanoseconds

    /// Returns what a request has to do now.
    ///
    /// - Parameters:
    ///   - ticket: a number of the request alone.
    ///   - longest: the longest wait from now on. It refuses new requests, and those that a pause of the server delays; the
    ///     others wait their turn, which may come a little later than it was foretold.
    ///   - timeLeft: the time until the request must be complete; nil without a deadline.
    mutating func decide(
        _ ticket: UInt64, _ pace: Pace, longest: Duration, timeLeft: Duration? = nil, at now: NIODeadline
    ) -> Decision {
        let index = queue.firstIndex(of: ticket)
        let step = min(max(TimeAmount(clamping: pace.interval).nanoseconds, 0), Self.longest)
        let room = Self.product(step, max(pace.burst, 1) - 1)
        let pause = heldUntil.map { max(0, ($0 - now).nanoseconds) } ?? 0
        // Those before it in the queue take their tokens first.
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

    /// Takes a request that gives up out of the queue.
    mutating func leave(_ ticket: UInt64) {
        if let index = queue.firstIndex(of: ticket) { queue.remove(at: index) }
    }

    private static func product(_ step: Int64, _ count: Int) -> Int64 {
        let (product, overflow) = step.multipliedReportingOverflow(by: Int64(count))
        return overflow ? longest : min(product, longest)
    }

    /// Holds back further requests, and those that wait.
    mutating func hold(for duration: Duration, at now: NIODeadline) {
        let end = now + TimeAmount(clamping: duration)
        heldUntil = max(heldUntil ?? end, end)
    }
}
