import ArgumentParser
import Sterna

/// Options for sending a request again, with curl's meaning.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send the request again up to this often: after a time-out, an unknown host, and the statuses 408, 429, 500, 502, 503 and 504. A Retry-After of up to 6 hours is heeded; after a longer one the response is shown.",
            valueName: "times"))
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "The wait before each retry; by default 1 second, then twice as long each time, up to 10 minutes.",
            valueName: "seconds"))
    var retryDelay: Double?

    @Option(help: ArgumentHelp("No retry begins later than this after the start.", valueName: "seconds"))
    var retryMaxTime: Double?

    @Flag(
        help:
            "With --retry, retry after any error, such as a refused connection or a body that breaks off; with --fail, after any status from 400 on. A file begins anew; what is on standard output is not fetched again."
    )
    var retryAllErrors = false

    func validate() throws {
        if let retry, !(0...1_000_000).contains(retry) {
            throw ValidationError("--retry is a number of times, from 0.")
        }
        if let retryDelay, !(retryDelay >= 0 && retryDelay <= 1e9) {
            throw ValidationError("--retry-delay is a number of seconds, from 0.")
        }
        if let retryMaxTime, !(retryMaxTime >= 0 && retryMaxTime <= 1e9) {
            throw ValidationError("--retry-max-time is a number of seconds, from 0.")
        }
        if retry == nil, retryDelay != nil || retryMaxTime != nil || retryAllErrors {
            throw ValidationError("The number of retries is missing: add --retry TIMES.")
        }
    }

    /// The policy of these options; without `--retry` nothing is retried.
    var policy: RetryPolicy {
        var policy = RetryPolicy.none
        guard let retry, retry > 0 else { return policy }
        policy.limit = retry
        // A user who asks for retries means this request, whatever its method.
        policy.methods.formUnion([.post, .patch, .connect])
        policy.statuses = [408, 429, 500, 502, 503, 504]
        policy.deferredStatuses = []
        // As in curl: a server must not hold the command for days.
        policy.longestRetryAfter = .seconds(6 * 3_600)
        policy.budget = nil
        policy.errors = retryAllErrors ? Self.allErrors : [.timedOut, .hostNotFound]
        policy.backoff = RetryBackoff(base: .seconds(1), cap: .seconds(600))
        policy.backoff.isJittered = false
        // As in curl, zero keeps the default.
        if let retryDelay, retryDelay > 0 { policy.backoff = .constant(.seconds(retryDelay)) }
        if let retryMaxTime, retryMaxTime > 0 { policy.totalTime = .seconds(retryMaxTime) }
        return policy
    }

    /// Returns the policy for one request.
    ///
    /// - Parameter fails: whether a status from 400 on is an error.
    func policy(for method: Request.Method, fails: Bool) -> RetryPolicy {
        var policy = policy
        guard policy.limit > 0 else { return policy }
        policy.methods.insert(method)
        if retryAllErrors, fails { policy.statuses.formUnion(400..<600) }
        return policy
    }

    // Failures that a second attempt could not change are left out.
    private static let allErrors = Set(SternaError.Kind.allCases).subtracting([
        .cancelled, .invalidURL, .invalidHeader, .invalidMethod, .invalidRequest, .encodingFailed, .fileUnreadable,
        .bodyNotReplayable, .originRefused, .interceptorFailed, .destinationUnusable,
    ])
}
