public import SternaCore

/// Which requests are sent again after a failure, when, and how often.
///
///     let api = try Session { $0.retry.limit = 5 }
///     try await api.get("report") { $0.retry = .transient }
///     try await api.get("status") { $0.retry = RetryPolicy.none }   // .none alone would be nil, the session's policy
///
/// The ``limit`` holds for each request by itself: the target of a redirect counts anew. The ``totalTime`` holds for a request and all
/// its redirects. What the engine repeats because a connection
/// turned out to be closed counts as an attempt, not as a retry.
///
/// Nothing is sent again after a cancellation, beyond the deadline, or if the body cannot be read a second time. A body that breaks
/// off while it is collected counts as a failure; one that was handed to the caller as a stream is never requested again.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of retries of a request, redirects included; 2 by default. Zero retries nothing.
    public var limit = 2

    /// The methods of requests that may be retried; by default the idempotent ones (RFC 9110, 9.2.2). Any other method is retried
    /// only if the request has an `Idempotency-Key` field.
    public var methods: Set<Request.Method> = [.get, .head, .put, .delete, .options, .trace]

    /// The kinds of errors after which a request is retried; by default those of a connection that cannot be opened, or that ends
    /// before the response does.
    public var errors: Set<SternaError.Kind> = [.connectionFailed, .connectionClosed, .truncated, .writeFailed]

    /// The statuses after which a request is retried, whatever the response says; none by default.
    public var statuses: Set<Int> = []

    /// The statuses after which a request is retried if the response has a valid Retry-After (RFC 9110, 10.2.3): 429 and 503 by
    /// default.
    public var deferredStatuses: Set<Int> = [429, 503]

    /// The longest Retry-After that is waited for; 30 s by default. A longer one returns the response at once.
    public var longestRetryAfter = Duration.seconds(30)

    /// The waits between attempts. A Retry-After replaces a shorter one.
    public var backoff = RetryBackoff()

    /// The time within which retries may begin, counted from the begin of the first attempt, before any redirect; nil, the default, leaves it to the
    /// request's deadline.
    public var totalTime: Duration?

    /// The share of an origin's requests that may be retries, so that they do not multiply an outage; nil for no such limit.
    public var budget: RetryBudget? = RetryBudget()

    /// Whether a request of another method than ``methods`` is given an `Idempotency-Key` with a random UUID, the same for all its
    /// retries and redirects, and so is retried as well; no by default. For servers that heed the field.
    public var addsIdempotencyKey = false

    public init() {}

    /// Retries idempotent requests up to twice, after connection failures, and after a 429 or 503 that asks for a wait of up to 30 s.
    /// The default of sessions.
    public static let standard = RetryPolicy()

    /// Retries nothing.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.limit = 0
        return policy
    }()

    /// Retries idempotent requests also after time-outs, unknown hosts, and the statuses 408, 425, 429, 500, 502, 503 and 504;
    /// Alamofire's `RetryPolicy`.
    public static let transient: RetryPolicy = {
        var policy = RetryPolicy()
        policy.errors.formUnion([.hostNotFound, .timedOut, .tlsFailed, .proxyFailed])
        policy.statuses = [408, 425, 429, 500, 502, 503, 504]
        return policy
    }()

    /// Retries idempotent requests after a connection was lost, and for no other reason; Alamofire's `ConnectionLostRetryPolicy`.
    public static let connectionLost: RetryPolicy = {
        var policy = RetryPolicy()
        policy.errors = [.connectionClosed, .truncated, .writeFailed]
        policy.deferredStatuses = []
        return policy
    }()

    /// Whether the policy retries nothing.
    var isOff: Bool { limit <= 0 }
}

/// Waits that grow from retry to retry, each chosen at random between zero and its maximum ("full jitter"), so that clients that
/// failed together do not come back together.
public struct RetryBackoff: Sendable, Hashable {
    /// The maximum of the first wait; 250 ms by default.
    public var base = Duration.milliseconds(250)

    /// The factor by which the maximum grows with each retry; 2 by default. A factor of 1 keeps it.
    public var factor = 2.0

    /// The limit of all waits; 20 s by default.
    public var cap = Duration.seconds(20)

    /// Whether waits are chosen at random; if not, each is as long as its maximum. Yes by default.
    public var isJittered = true

    public init() {}

    /// Waits that double from a maximum on.
    public init(base: Duration, factor: Double = 2, cap: Duration = .seconds(20)) {
        self.base = base
        self.factor = factor
        self.cap = cap
    }

    /// Waits that all last exactly as long.
    public static func constant(_ duration: Duration) -> RetryBackoff {
        var backoff = RetryBackoff(base: duration, factor: 1, cap: duration)
        backoff.isJittered = false
        return backoff
    }

    /// Returns the wait before a retry.
    ///
    /// - Parameters:
    ///   - retry: the number of the retry, counted from 0.
    ///   - random: a random number from 0 to 1.
    func delay(before retry: Int, random: Double) -> Duration {
        ExponentialBackoff(first: base, factor: factor, limit: cap, jitter: isJittered ? 1 : 0).delay(
            retry, random: random)
    }
}

/// The share of the requests to an origin that may be retries.
///
/// Requests count from the first failure of the origin on. Sessions that were derived from each other share the account.
public struct RetryBudget: Sendable, Hashable {
    /// The number of retries for each request; 0.2 by default.
    public var share = 0.2

    /// The number of retries in each ``window`` that are free of that, for origins with few requests; 10 by default.
    public var floor = 10

    /// The time in which the ``floor`` renews itself; 10 s by default.
    public var window = Duration.seconds(10)

    public init(share: Double = 0.2, floor: Int = 10, window: Duration = .seconds(10)) {
        self.share = share
        self.floor = floor
        self.window = window
    }
}
