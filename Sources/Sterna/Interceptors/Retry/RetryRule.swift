import HTTPTypes
import SternaCore

/// Decides whether a request is retried, without I/O and clock.
enum RetryRule {
    /// The outcome of an attempt.
    enum Outcome: Sendable, Hashable {
        /// A response; `retryAfter` is the wait that it asks for.
        case response(status: Int, retryAfter: Duration?)
        case failure(SternaError.Kind)
        /// An outcome after which one of the program's retriers asks for a retry.
        case requested(after: Duration)
    }

    /// The progress of a request so far.
    struct Progress: Sendable {
        /// The number of retries of this request so far.
        var retries = 0

        /// The number of retries of the requests that redirected to this one.
        var formerRetries = 0

        /// The time since the first attempt began, before any redirect.
        var elapsed = Duration.zero

        /// The time until the request must be complete; nil without a deadline.
        var timeLeft: Duration?

        /// Whether the call was cancelled.
        var isCancelled = false
    }

    enum Decision: Sendable, Hashable {
        /// Returns the outcome to the caller.
        case deliver(Obstacle)
        case retry(after: Duration, RetryReason)
    }

    /// Why a request is not retried.
    enum Obstacle: Sendable, Hashable {
        case cancelled
        /// The policy does not retry after this outcome.
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
    ///   - hasNewBody: whether the request has a new body, which was not sent yet.
    ///   - budget: withdraws a retry from the origin's budget; false if none is left. Evaluated last.
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

    /// Returns why the policy does not retry a request, regardless of the outcome; nil if it does.
    private static func obstacle(_ request: Request, _ policy: RetryPolicy, _ progress: Progress) -> Obstacle? {
        guard progress.formerRetries + progress.retries < policy.limit else { return .limit }
        guard policy.methods.contains(request.method) || IdempotencyKey.isSet(in: request) else { return .method }
        return nil
    }
}

/// The field by which a server recognizes a repeated request (draft-ietf-httpapi-idempotency-key-header).
enum IdempotencyKey {
    static let field = HTTPField.Name("Idempotency-Key")

    static func isSet(in request: Request) -> Bool {
        guard let field else { return false }
        return request.headers[field]?.isEmpty == false
    }
}
