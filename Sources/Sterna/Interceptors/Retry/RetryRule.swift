import HTTPTypes
import SternaCore

/// Decides whether a request is sent again: a function of values, without I/O and clock.
enum RetryRule {
    /// How an attempt has ended.
    enum Outcome: Sendable, Hashable {
        /// With a response; `retryAfter` is the wait that it asks for.
        case response(status: Int, retryAfter: Duration?)
        case failure(SternaError.Kind)
        /// In a way after which a retrier of the program asks for a retry.
        case requested(after: Duration)
    }

    /// What has happened to the request before.
    struct Progress: Sendable {
        /// The number of retries so far.
        var retries = 0

        /// The number of retries of the requests that redirected to this one.
        var formerRetries = 0

        /// The time since the first attempt began.
        var elapsed = Duration.zero

        /// The time until the request must be complete; nil without a deadline.
        var timeLeft: Duration?

        /// Whether the call was cancelled.
        var isCancelled = false
    }

    enum Decision: Sendable, Hashable {
        /// The outcome is the caller's.
        case deliver(Obstacle)
        case retry(after: Duration, RetryReason)
    }

    /// Why a request is not sent again.
    enum Obstacle: Sendable, Hashable {
        case cancelled
        /// The outcome is none after which the policy retries.
        case outcome
        case method
        case body
        case limit
        /// The server asks for a longer wait than the policy allows.
        case retryAfter
        /// The wait would end after the deadline, or after the policy's total time.
        case time
        case budget
    }

    /// Decides on a request after an attempt.
    ///
    /// - Parameters:
    ///   - random: a random number from 0 to 1.
    ///   - hasNewBody: whether the request has a body that was not sent yet.
    ///   - budget: whether the origin's budget has a retry left, which is asked for last.
    static func decide(
        _ request: Request, _ outcome: Outcome, _ policy: RetryPolicy, _ progress: Progress, random: Double,
        hasNewBody: Bool = false, budget: @autoclosure () -> Bool
    ) -> Decision {
        guard !progress.isCancelled else { return .deliver(.cancelled) }
        let delay: Duration
        let reason: RetryReason
        switch outcome {
        case .requested(let wait):
            (delay, reason) = (max(wait, .zero), .retrier)
        case .failure(let kind):
            guard kind != .cancelled, policy.errors.contains(kind) else { return .deliver(.outcome) }
            if let obstacle = obstacle(request, policy, progress) { return .deliver(obstacle) }
            (delay, reason) = (policy.backoff.delay(before: progress.retries, random: random), .error(kind))
        case .response(let status, let retryAfter):
            let isListed = policy.statuses.contains(status)
            guard isListed || retryAfter != nil && policy.deferredStatuses.contains(status) else {
                return .deliver(.outcome)
            }
            if let obstacle = obstacle(request, policy, progress) { return .deliver(obstacle) }
            if let retryAfter, retryAfter > policy.longestRetryAfter { return .deliver(.retryAfter) }
            let own = policy.backoff.delay(before: progress.retries, random: random)
            (delay, reason) = (max(own, retryAfter ?? .zero), .status(status))
        }
        if let left = progress.timeLeft, delay >= left { return .deliver(.time) }
        if let total = policy.totalTime, progress.elapsed + delay >= total { return .deliver(.time) }
        guard request.isReplayable || hasNewBody else { return .deliver(.body) }
        guard budget() else { return .deliver(.budget) }
        return .retry(after: delay, reason)
    }

    /// Returns what keeps the policy from retrying a request, apart from the outcome.
    private static func obstacle(_ request: Request, _ policy: RetryPolicy, _ progress: Progress) -> Obstacle? {
        guard progress.formerRetries + progress.retries < policy.limit else { return .limit }
        guard policy.methods.contains(request.method) || IdempotencyKey.isSet(in: request) else { return .method }
        return nil
    }
}

/// The field by which a server recognises a request that it has seen before (draft-ietf-httpapi-idempotency-key-header).
enum IdempotencyKey {
    static let field = HTTPField.Name("Idempotency-Key")

    static func isSet(in request: Request) -> Bool {
        guard let field else { return false }
        return request.headers[field]?.isEmpty == false
    }
}
