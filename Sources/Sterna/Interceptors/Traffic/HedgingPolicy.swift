public import SternaCore

/// Sends copies of a request while its response is late, and uses the first response (hedged requests).
///
///     let hedging = HedgingPolicy(after: .percentile(95))
///     let api = try Session { $0.network.hedging = hedging }
///     try await api.get("live") { $0.network.hedging = .off }
///
/// A request without a response after ``Delay`` is sent again over another connection or stream. The first usable response is
/// delivered, and the other copies are cancelled. A response with status 429, 500, 502, 503 or 504, or an error, is not usable: the
/// other copies under way are awaited, and if none has a usable response, the first copy's outcome is delivered.
///
/// By default GET, HEAD and OPTIONS are hedged. The body must be replayable, and no copy is sent after the deadline. By default at
/// most a twentieth of an origin's requests are hedges, in addition to one every ten seconds. After a 429 or 503 no hedges are sent
/// to the origin for its Retry-After, or for 10 s without one. Sessions with the same policy share its measurements.
public final class HedgingPolicy: Sendable {
    /// The time without a response after which another copy is sent.
    ///
    /// It begins when the previous copy is sent; waits for turns, tokens and credentials do not count.
    public enum Delay: Sendable, Hashable {
        case fixed(Duration)

        /// A percentile, from 0 to 100, of the origin's latest 128 times to a response's head, but at least `floor` (10 ms by
        /// default). No request is hedged before `samples` times are known (20 by default).
        case percentile(Double, floor: Duration = .milliseconds(10), samples: Int = 20)
    }

    let rules: HedgeRule.Rules
    private let origins = OriginStates { HedgedOrigin() }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - delay: the time without a response; the 95th percentile by default.
    ///   - limit: the maximum number of hedges of a request; 1 by default.
    ///   - methods: the methods of requests that are hedged; GET, HEAD and OPTIONS by default. PUT and DELETE may be added if the
    ///     server accepts the same request twice at the same time: the second DELETE may receive a 404.
    ///   - budget: the share of an origin's requests that may be hedges; by default a twentieth, in addition to one every ten
    ///     seconds. Nil for no limit.
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

extension HedgingPolicy: CustomReflectable {
    /// Shows the rules, but no origins.
    public var customMirror: Mirror { Mirror(self, children: ["rules": rules]) }
}

enum HedgingKey: RequestOptionKey {
    static var defaultValue: HedgingPolicy? { nil }
}
