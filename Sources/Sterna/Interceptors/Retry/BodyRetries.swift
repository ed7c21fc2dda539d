package import NIOCore
package import SternaCore

/// The retries of a request whose body breaks off after the caller has received the response, and can begin anew.
///
/// They count together with those that the session made before the response, by the same policy. The budget of the origin is left
/// out: who asks for these retries is a person at a terminal.
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
    ///   - error: why its body broke off.
    ///   - earlier: the retries that led to the response, those counted here included.
    package mutating func next(
        _ request: Request, after error: SternaError, earlier: Int, at now: NIODeadline
    ) -> ScheduledRetry? {
        // A file that cannot be written is no failure of the transfer.
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

    /// Sets what the next attempt has left of the policy's limits.
    package func apply(to request: inout some CallStateCarrier, at now: NIODeadline) {
        request.state.course.formerRetries = count
        guard let total = policy.totalTime else { return }
        var rest = policy
        rest.totalTime = total - .nanoseconds((now - began).nanoseconds)
        request.options[RetryPolicyKey.self] = rest
    }
}
