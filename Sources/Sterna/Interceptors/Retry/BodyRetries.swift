package import NIOCore
package import SternaCore

/// The retries of a request whose body is truncated after the caller has received the response, and whose caller can start over.
///
/// They count toward the same limit as the session's retries before the response. The origin's budget does not apply, since a
/// person at a terminal causes these retries.
package struct BodyRetries: Sendable {
    private var count = 0
    private let policy: RetryPolicy
    private let began: NIODeadline

    /// - Parameter began: when the first attempt began.
    package init(_ policy: RetryPolicy, since began: NIODeadline) { (self.policy, self.began) = (policy, began) }

    /// Returns the next retry, and counts and reports it; nil if there is none.
    ///
    /// - Parameters:
    ///   - request: the request to send again.
    ///   - error: the error that truncated the body.
    ///   - earlier: the number of all retries before the response, including those counted here.
    package mutating func next(
        _ request: Request, after error: SternaError, earlier: Int, at now: NIODeadline
    ) -> ScheduledRetry? {
        // A file that cannot be written is not an error of the transfer.
        guard !(error.underlying is DestinationFault) else { return nil }
        count = max(count, earlier)
        var progress = RetryRule.Progress(retries: count)
        progress.elapsed = .nanoseconds((now - began).nanoseconds)
        progress.timeLeft = request.deadline.map { .nanoseconds(($0.instant - now).nanoseconds) }
        progress.isCancelled = Task.isCancelled || request.call?.isCancelled == true
        let decision = RetryRule.decide(
            request, .failure(error.kind), policy, progress, random: Double.random(in: 0..<1), budget: true)
        guard case .retry(let delay, let reason) = decision else { return nil }
        count += 1
        let retry = ScheduledRetry(reason: reason, delay: delay, number: count)
        request.recorder?.retryScheduled(retry)
        return retry
    }

    /// Limits the next attempt to the rest of the policy's limits.
    package func apply(to request: inout some CallStateCarrier, at now: NIODeadline) {
        request.state.course.formerRetries = count
        guard let total = policy.totalTime else { return }
        var rest = policy
        rest.totalTime = total - .nanoseconds((now - began).nanoseconds)
        request.options[RetryPolicyKey.self] = rest
    }
}
