public import SternaCore

/// Sends a request once more while its answer is late, and takes the answer that comes first (hedged requests).
///
///     let hedging = HedgingPolicy(after: .percentile(95))
///     let api = try Session { $0.hedging = hedging }
///     try await api.get("live") { $0.hedging = .off }
///
/// A request that has no response after ``Delay`` is sent again over another connection or stream. The first usable response
/// is delivered, and the other copies are cancelled. The statuses 429, 500, 502, 503 and 504, and errors, wait for the copies that
/// are under way; if no copy is better, the first one's response or error is delivered.
///
/// GET, HEAD and OPTIONS are hedged, if the body can be read again, and never after the deadline. At most a twentieth of an origin's
/// requests are hedges, beyond one in ten seconds. After a 429 or 503 an origin is sent no hedges for its Retry-After, or 10 s.
/// Sessions that have the same policy share what it knows of origins.
public final class HedgingPolicy: Sendable {
    /// The time without a response after which a request is sent once more.
    ///
    /// It is counted from when the copy before was sent; waits for turns, tokens and credentials are not part of it.
    public enum Delay: Sendable, Hashable {
        case fixed(Duration)

        /// A percentile, from 0 to 100, of the origin's latest 128 times to a response's head, and no less than `floor`. Nothing is
        /// hedged before there are `samples` times.
        case percentile(Double, floor: Duration = .milliseconds(10), samples: Int = 20)
    }

    let rules: HedgeRule.Rules
    private let origins = OriginStates { HedgedOrigin() }

    /// - Parameters:
    ///   - delay: the time without a response; the 95th percentile by default.
    ///   - limit: the maximum number of hedges of a request; 1 by default.
    ///   - methods: the methods of requests that are hedged; GET, HEAD and OPTIONS by default. PUT and DELETE may be added if the
    ///     server can take two at the same time: the second DELETE may find nothing.
    ///   - budget: the share of an origin's requests that may be hedges; a twentieth by default, beyond one in ten seconds. Nil
    ///     for no such limit.
    public init(
        after delay: Delay = .percentile(95), limit: Int = 1, methods: Set<Request.Method> = [.get, .head, .options],
        budget: RetryBudget? = RetryBudget(share: 0.05, floor: 1)
    ) {
        rules = HedgeRule.Rules(delay: delay, limit: limit, methods: methods, budget: budget)
    }

    /// Hedges nothing.
    public static let off = HedgingPolicy(limit: 0)

    func update<R: Sendable>(_ origin: Origin, _ change: (inout HedgedOrigin) -> R) -> R {
        origins.update(origin, change)
    }
}

enum HedgingKey: RequestOptionKey {
    static var defaultValue: HedgingPolicy? { nil }
}

extension SessionSettings {
    /// Sends requests once more while their answers are late; nil, the default, does not.
    public var hedging: HedgingPolicy? {
        get { options[HedgingKey.self] }
        set { options[ifSet: HedgingKey.self] = newValue.map(Optional.some) }
    }
}

extension RequestSettings {
    /// How this request is hedged; nil, as ``HedgingPolicy/off``, sends it once.
    public var hedging: HedgingPolicy? {
        get { options[HedgingKey.self] }
        set { options[HedgingKey.self] = newValue }
    }
}
