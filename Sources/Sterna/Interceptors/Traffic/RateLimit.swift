import NIOCore
import SternaCore
import Synchronization

/// Limits the rate of requests to each origin, and respects the rate limits that servers announce.
///
///     let limit = RateLimit(requests: 10, per: .seconds(1), burst: 20)
///     let api = try Session { $0.limits.rate = limit }
///
/// A request beyond the rate waits for its turn; one that would wait longer than `longestWait`, or past its deadline, fails with
/// `trafficLimited`, and nothing is sent. A response delays further requests to its origin if its `RateLimit` field (or the older
/// fields `RateLimit-Remaining` and `RateLimit-Reset`) announces that no requests remain, or if its status is 429: for the
/// announced time (of a 429 first its `Retry-After`), at most a day, or for 1 s after a 429 without one. Sessions with the same
/// object share the limit.
public final class RateLimit: Sendable {
    private let pace: RequestBucket.Pace
    private let longestWait: Duration
    private let buckets = OriginStates { RequestBucket() }
    private let lastTicket = Atomic<UInt64>(0)

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - requests: the number of requests to each origin per `time`, at least 1.
    ///   - time: the time to which `requests` refers.
    ///   - burst: the number of requests that may be sent at once after a pause, at least 1; the same as `requests` by default.
    ///   - longestWait: the maximum wait of a request; 60 s by default.
    public init(requests: Int, per time: Duration, burst: Int? = nil, longestWait: Duration = .seconds(60)) {
        pace = RequestBucket.Pace(
            interval: max(time, .zero) / max(requests, 1), burst: max(burst ?? requests, 1))
        self.longestWait = longestWait
    }

    /// Returns a number that identifies a request in the queue.
    func newTicket() -> UInt64 { lastTicket.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Returns how a request proceeds now.
    ///
    /// - Parameters:
    ///   - arrival: when it asked for its turn first.
    ///   - deadline: when it must be complete; nil without a deadline.
    func decide(
        _ ticket: UInt64, _ origin: Origin, since arrival: NIODeadline, deadline: NIODeadline?, _ clock: NetworkClock
    ) -> RequestBucket.Decision {
        buckets.update(origin) { bucket in
            let now = clock.now
            return bucket.decide(
                ticket, pace, longest: longestWait - .nanoseconds((now - arrival).nanoseconds),
                timeLeft: deadline.map { .nanoseconds(($0 - now).nanoseconds) }, at: now)
        }
    }

    /// Removes a request that stops waiting from the queue.
    func leave(_ ticket: UInt64, _ origin: Origin) { buckets.update(origin) { $0.leave(ticket) } }

    func hold(_ origin: Origin, for duration: Duration, _ clock: NetworkClock) {
        buckets.update(origin) { $0.hold(for: duration, at: clock.now) }
    }
}

extension RateLimit: CustomReflectable {
    /// Shows the pace and the longest wait, but no origins.
    public var customMirror: Mirror { Mirror(self, children: ["pace": pace, "longestWait": longestWait]) }
}

/// Lets requests wait for their turn.
struct RateLimitInterceptor: Interceptor {
    let limit: RateLimit
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let origin = request.url.origin
        try await waitForTurn(request, origin)
        let response = try await next(request)
        let status = response.status.code
        let retryAfter = status == 429 ? RetryAfter.delay(response.section) : nil
        if let pause = RateLimitField.pause(status: status, response.section, retryAfter: retryAfter) {
            limit.hold(origin, for: pause, time.clock)
        }
        return response
    }

    nonisolated(nonsending) private func waitForTurn(_ request: Request, _ origin: Origin) async throws {
        let (ticket, arrival) = (limit.newTicket(), time.clock.now)
        while true {
            switch limit.decide(ticket, origin, since: arrival, deadline: request.deadline?.instant, time.clock) {
            case .send: return
            case .refuse(let wait): throw Self.refusal(origin, wait).at(request)
            case .wait(let wait):
                do {
                    try await CallWait.wait(wait, before: request, on: time)
                } catch {
                    limit.leave(ticket, origin)
                    throw error
                }
            }
        }
    }

    private static func refusal(_ origin: Origin, _ wait: Duration) -> SternaError {
        SternaError(
            .trafficLimited, phase: .prepare,
            "Nothing was sent: the rate limit for \(origin) allows the request in \(text(wait)), which is too late. "
                + "Send fewer requests, or raise the limit.")
    }

    /// Returns a wait for a message, rounded up: in milliseconds below a second.
    private static func text(_ wait: Duration) -> String {
        let nanoseconds = TimeAmount(clamping: wait).nanoseconds
        let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
        return milliseconds < 1_000 ? "\(milliseconds) ms" : "\((milliseconds + 999) / 1_000) s"
    }
}
