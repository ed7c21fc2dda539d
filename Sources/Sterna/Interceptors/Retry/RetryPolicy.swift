public import SternaCore

/// Which requests are retried after a failure, when, and how often.
///
///     let api = try Session { $0.retry.limit = 5 }
///     try await api.get("report") { $0.retry.limit = 1 }   // otherwise as the session does
///     try await api.get("search") { $0.retry = .transient }
///     try await api.get("status") { $0.retry = .none }
///
/// The ``limit`` and the ``totalTime`` apply to a request together with all its redirects. A request that the engine repeats
/// because a kept connection turned out to be closed counts as an attempt, not as a retry.
///
/// A request is not retried after a cancellation, past the deadline, or if its body cannot be read again. A body that is truncated
/// while it is collected counts as a failure; a body that was delivered to the caller as a stream is never requested again.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of retries of a request and its redirects; 2 by default. Zero disables the policy.
    public var limit = 2 { didSet { edits.insert(Property.limit) } }

    /// The methods of requests that may be retried; by default the idempotent ones (RFC 9110, 9.2.2). Any other method is retried
    /// only if the request has an `Idempotency-Key` field.
    public var methods: Set<Request.Method> = [.get, .head, .put, .delete, .options, .trace] {
        didSet { edits.insert(Property.methods) }
    }

    /// The kinds of errors after which a request is retried; by default those of a connection that cannot be opened, or that ends
    /// before the request is sent or the response is complete.
    public var errors: Set<SternaError.Kind> = [.connectionFailed, .connectionClosed, .truncated, .writeFailed] {
        didSet { edits.insert(Property.errors) }
    }

    /// The statuses after which a request is retried, with or without a Retry-After; none by default.
    public var statuses: Set<Int> = [] { didSet { edits.insert(Property.statuses) } }

    /// The statuses after which a request is retried if the response has a valid Retry-After (RFC 9110, 10.2.3): 429 and 503 by
    /// default.
    public var deferredStatuses: Set<Int> = [429, 503] { didSet { edits.insert(Property.deferredStatuses) } }

    /// The maximum Retry-After; 30 s by default. A response that asks for a longer wait is returned at once.
    public var longestRetryAfter = Duration.seconds(30) { didSet { edits.insert(Property.longestRetryAfter) } }

    /// The waits between attempts. A longer Retry-After replaces the wait.
    public var backoff = RetryBackoff() { didSet { edits.insert(Property.backoff) } }

    /// The time within which retries may begin, from the beginning of the first attempt, before any redirect; nil, the default, for
    /// no limit but the request's deadline.
    public var totalTime: Duration? {
        get { ownTotalTime }
        _modify {
            let isMissing = ownTotalTime == nil && !edits.contains(Property.totalTime)
            defer { edits.insert(isMissing && ownTotalTime == nil ? Property.missingTotalTime : .totalTime) }
            yield &ownTotalTime
        }
        set {
            ownTotalTime = newValue
            edits.insert(Property.totalTime)
        }
    }

    private var ownTotalTime: Duration?

    /// The share of an origin's requests that may be retries, so that retries do not overload a failing server; nil for no limit.
    public var budget: RetryBudget? = RetryBudget() { didSet { edits.insert(Property.budget) } }

    /// Whether a request whose method is not in ``methods`` is sent with an `Idempotency-Key`, so that it is retried, too; false by
    /// default. The key is a random UUID, the same for all its retries and redirects. Only for servers that implement the field.
    public var addsIdempotencyKey = false { didSet { edits.insert(Property.addsIdempotencyKey) } }

    public init() {}

    /// Retries idempotent requests up to twice after connection failures, and after a 429 or 503 with a Retry-After of at most 30
    /// s. The default of sessions.
    public static let standard = RetryPolicy()

    /// Retries nothing.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.limit = 0
        return policy
    }()

    /// Retries idempotent requests also after time-outs, unknown hosts, failures of TLS and proxies, and the statuses 408, 425,
    /// 429, 500, 502, 503 and 504; the counterpart of Alamofire's `RetryPolicy`.
    public static let transient: RetryPolicy = {
        var policy = RetryPolicy()
        policy.errors.formUnion([.hostNotFound, .timedOut, .tlsFailed, .proxyFailed])
        policy.statuses = [408, 425, 429, 500, 502, 503, 504]
        return policy
    }()

    /// Retries idempotent requests only after a connection was lost; the counterpart of Alamofire's `ConnectionLostRetryPolicy`.
    public static let connectionLost: RetryPolicy = {
        var policy = RetryPolicy()
        policy.errors = [.connectionClosed, .truncated, .writeFailed]
        policy.deferredStatuses = []
        return policy
    }()

    /// Whether the policy retries nothing.
    var isOff: Bool { limit <= 0 }

    /// Whether the retries of a request have a total time or a key in common.
    var hasHistory: Bool { totalTime != nil || addsIdempotencyKey }

    /// Whether a response with this status may cause a retry.
    func heeds(_ status: Int) -> Bool {
        !isOff && (statuses.contains(status) || deferredStatuses.contains(status))
    }

    package var edits = Edits()
}

extension RetryPolicy: EditedValue {
    private enum Property: Int {
        case limit, methods, errors, statuses, deferredStatuses, longestRetryAfter, backoff, totalTime, budget,
            addsIdempotencyKey
        /// A change of a total time that was nil, which left it nil: `totalTime? += .seconds(1)`.
        case missingTotalTime
    }

    /// Whether the total time of another policy was to be changed, of which this one, recorded without it, knew nothing.
    func missesTotalTime(of other: RetryPolicy) -> Bool {
        edits.isRecording && edits.contains(Property.missingTotalTime) && !edits.contains(Property.totalTime)
            && other.totalTime != nil
    }

    package mutating func record() {
        backoff.record()
        budget?.record()
        edits = .recording
    }

    package mutating func settle() {
        backoff.settle()
        budget?.settle()
        edits = Edits()
    }

    package func apply(to other: inout RetryPolicy) {
        if edits.contains(Property.limit) { other.limit = limit }
        if edits.contains(Property.methods) { other.methods = methods }
        if edits.contains(Property.errors) { other.errors = errors }
        if edits.contains(Property.statuses) { other.statuses = statuses }
        if edits.contains(Property.deferredStatuses) { other.deferredStatuses = deferredStatuses }
        if edits.contains(Property.longestRetryAfter) { other.longestRetryAfter = longestRetryAfter }
        if edits.contains(Property.backoff) { other.backoff = backoff.over(other.backoff) }
        if edits.contains(Property.totalTime) { other.totalTime = totalTime }
        if edits.contains(Property.budget) {
            other.budget = budget.map { own in other.budget.map { own.over($0) } ?? own.settled }
        }
        if edits.contains(Property.addsIdempotencyKey) { other.addsIdempotencyKey = addsIdempotencyKey }
    }
}

/// Exponentially growing waits, each random between zero and its maximum ("full jitter"), so that clients that failed at the same
/// time do not retry at the same time.
public struct RetryBackoff: Sendable, Hashable {
    /// The maximum of the first wait; 250 ms by default.
    public var base = Duration.milliseconds(250) { didSet { edits.insert(Property.base) } }

    /// The factor by which the maximum grows with each retry; 2 by default.
    public var factor = 2.0 { didSet { edits.insert(Property.factor) } }

    /// The upper limit of all maxima; 20 s by default.
    public var cap = Duration.seconds(20) { didSet { edits.insert(Property.cap) } }

    /// Whether waits are random; if not, each is as long as its maximum. True by default.
    public var isJittered = true { didSet { edits.insert(Property.isJittered) } }

    package var edits = Edits()

    /// Makes waits whose maximum grows from `base` by `factor` up to `cap`.
    public init(base: Duration = .milliseconds(250), factor: Double = 2, cap: Duration = .seconds(20)) {
        self.base = base
        self.factor = factor
        self.cap = cap
    }

    /// Returns waits that all have the same length.
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

extension RetryBackoff: EditedValue {
    private enum Property: Int {
        case base, factor, cap, isJittered
    }

    package func apply(to other: inout RetryBackoff) {
        if edits.contains(Property.base) { other.base = base }
        if edits.contains(Property.factor) { other.factor = factor }
        if edits.contains(Property.cap) { other.cap = cap }
        if edits.contains(Property.isJittered) { other.isJittered = isJittered }
    }
}

/// The maximum share of retries among the requests to an origin.
///
/// Requests count from the origin's first failure. Derived sessions share the account.
public struct RetryBudget: Sendable, Hashable {
    /// The number of retries for each request; 0.2 by default.
    public var share = 0.2 { didSet { edits.insert(Property.share) } }

    /// The number of retries in each ``window`` that are permitted in addition to ``share``, for origins with few requests; 10 by
    /// default.
    public var floor = 10 { didSet { edits.insert(Property.floor) } }

    /// The time in which the ``floor`` is renewed; 10 s by default.
    public var window = Duration.seconds(10) { didSet { edits.insert(Property.window) } }

    package var edits = Edits()

    public init(share: Double = 0.2, floor: Int = 10, window: Duration = .seconds(10)) {
        self.share = share
        self.floor = floor
        self.window = window
    }
}

extension RetryBudget: EditedValue {
    private enum Property: Int {
        case share, floor, window
    }

    package func apply(to other: inout RetryBudget) {
        if edits.contains(Property.share) { other.share = share }
        if edits.contains(Property.floor) { other.floor = floor }
        if edits.contains(Property.window) { other.window = window }
    }
}
