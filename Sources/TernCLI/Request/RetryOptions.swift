import ArgumentParser
import Sterna
import Synchronization

/// Options for sending a request again, with curl's meaning.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send the request again up to this often: after a time-out, an unknown host, and the statuses 408, 429, 500, 502, 503 and 504. A Retry-After is heeded.",
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
            "With --retry, retry after any error, a refused connection for one; with --fail, after any status from 400 on."
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
        // Whoever asks for retries by hand means this request, whatever its method.
        policy.methods.formUnion([.post, .patch, .connect])
        policy.statuses = [408, 429, 500, 502, 503, 504]
        policy.deferredStatuses = []
        policy.longestRetryAfter = .seconds(1_000_000_000)
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
        policy.methods.insert(method)
        if retryAllErrors, fails { policy.statuses.formUnion(400..<600) }
        return policy
    }

    // Those that a second attempt could not change are left out.
    private static let allErrors = Set(SternaError.Kind.allCases).subtracting([
        .cancelled, .invalidURL, .invalidHeader, .invalidMethod, .invalidRequest, .encodingFailed, .fileUnreadable,
        .bodyNotReplayable, .originRefused, .interceptorFailed,
    ])
}

/// Says on standard error when and why a request is sent again.
final class RetryLog: NetworkObserver {
    private let limit: Int
    private let say: @Sendable (String) -> Void

    init(limit: Int, say: @escaping @Sendable (String) -> Void) {
        self.limit = limit
        self.say = say
    }

    func attemptBegan(_ request: ObservedRequest, reason: AttemptMetrics.Reason) {
        if request.attempt > 1 {
            say("Attempt \(request.attempt): \(request.method) \(request.url) (\(Self.words(reason)))")
        }
    }

    func attemptFailed(_ request: ObservedRequest, _ error: SternaError) {
        say("Attempt \(request.attempt) failed: \(TerminalText.line(error.detail))")
    }

    func retryScheduled(_ request: ObservedRequest, _ retry: ScheduledRetry) {
        say("Retry \(retry.number) of \(limit) in \(Self.seconds(retry.delay)), because of \(Self.words(retry.reason))")
    }

    static func words(_ reason: RetryReason) -> String {
        switch reason {
        case .error(let kind): "an error (\(kind.rawValue))"
        case .status(let code): "status \(code)"
        case .retrier: "a retrier"
        }
    }

    private static func words(_ reason: AttemptMetrics.Reason) -> String {
        switch reason {
        case .first: "the first"
        case .redirect: "redirect"
        case .staleConnection: "the connection was closed"
        case .expectationRefused: "without Expect"
        case .refused: "the server had not processed it"
        case .misdirected: "on another connection"
        case .authentication: "to answer a challenge"
        case .retry: "retry"
        case .hedge: "the answer was late"
        }
    }

    static func seconds(_ duration: Duration) -> String {
        let (whole, rest) = duration.components
        let milliseconds = rest / 1_000_000_000_000_000
        guard milliseconds > 0 else { return "\(whole) s" }
        var digits = String(String(milliseconds + 1_000).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits) s"
    }
}
