import NIOCore
import SternaCore

/// Decides when a copy of a request is sent although its response is still pending, without I/O and clock.
enum HedgeRule {
    /// The settings of a policy.
    struct Rules: Sendable {
        var delay: HedgingPolicy.Delay
        var limit: Int
        var methods: Set<Request.Method>
        var budget: RetryBudget?
    }

    /// The progress of a request so far.
    struct Progress: Sendable {
        /// The number of hedges so far.
        var hedges = 0

        /// Whether a copy has ended, so that no further copy is sent.
        var hasEnded = false

        /// The time until the request must be complete; nil without a deadline.
        var timeLeft: Duration?

        /// Whether the call was cancelled.
        var isCancelled = false
    }

    /// Why a request is not hedged.
    enum Obstacle: Sendable, Hashable {
        case cancelled, ended, limit, method, body
        /// The origin has asked for fewer requests.
        case held
        /// Too few response times of the origin are known.
        case samples
        /// The hedge would begin after the deadline.
        case time
        case budget
    }

    enum Plan: Sendable, Hashable {
        /// Another copy may be sent after this time without a response.
        case hedge(after: Duration)
        case leave(Obstacle)
    }

    /// Decides, when a copy is sent, whether another one may follow it.
    static func plan(
        _ request: Request, _ rules: Rules, _ origin: HedgedOrigin, _ progress: Progress, at now: NIODeadline
    ) -> Plan {
        if let obstacle = obstacle(request, rules, origin, progress, at: now) { return .leave(obstacle) }
        guard let delay = origin.delay(rules.delay) else { return .leave(.samples) }
        if let left = progress.timeLeft, delay >= left { return .leave(.time) }
        return .hedge(after: delay)
    }

    /// Decides, at the end of that time, whether the next copy is sent; returns nil if it is.
    ///
    /// - Parameter budget: withdraws a hedge from the origin's budget; false if none is left. Evaluated last.
    static func refusal(
        _ request: Request, _ rules: Rules, _ origin: HedgedOrigin, _ progress: Progress, at now: NIODeadline,
        budget: @autoclosure () -> Bool
    ) -> Obstacle? {
        if let obstacle = obstacle(request, rules, origin, progress, at: now) { return obstacle }
        if let left = progress.timeLeft, left <= .zero { return .time }
        return budget() ? nil : .budget
    }

    private static func obstacle(
        _ request: Request, _ rules: Rules, _ origin: HedgedOrigin, _ progress: Progress, at now: NIODeadline
    ) -> Obstacle? {
        guard !progress.isCancelled else { return .cancelled }
        guard !progress.hasEnded else { return .ended }
        guard progress.hedges < rules.limit else { return .limit }
        guard rules.methods.contains(request.method) else { return .method }
        guard request.isReplayable else { return .body }
        return origin.isHeld(at: now) ? .held : nil
    }

    // MARK: Answers

    /// Returns whether a response is delivered at once, without waiting for other copies.
    static func isUsable(_ status: Int) -> Bool { status != 429 && Circuit.result(of: status) != .failure }

    /// Returns how long no hedges are sent to an origin after a response; nil unless the status asks for fewer requests.
    static func hold(after status: Int, retryAfter: Duration?) -> Duration? {
        guard status == 429 || status == 503 else { return nil }
        return min(max(retryAfter ?? .seconds(10), .zero), .seconds(86_400))
    }
}

/// The copies of one request, and the choice of the one to deliver.
struct HedgeRace: Sendable {
    /// The outcome of a copy.
    enum Outcome: Sendable, Hashable {
        /// A response that is delivered at once.
        case usable
        /// A response that indicates a failing server, or an error.
        case failed
    }

    enum Step: Sendable, Hashable {
        case wait
        /// Delivers the outcome of this copy.
        case deliver(Int)
    }

    /// The outcomes of the copies; the first is the request itself.
    private var outcomes: [Outcome?] = [nil]

    /// The number of copies in addition to the first.
    var hedges: Int { outcomes.count - 1 }

    /// Whether a copy has ended.
    var hasEnded: Bool { outcomes.contains { $0 != nil } }

    /// Adds a copy; returns its number.
    mutating func addCopy() -> Int {
        outcomes.append(nil)
        return hedges
    }

    /// Records the outcome of a copy. The first usable response is delivered; without one, the outcome of the first copy.
    mutating func ended(_ copy: Int, _ outcome: Outcome) -> Step {
        guard outcomes.indices.contains(copy) else { return .wait }
        outcomes[copy] = outcome
        if outcome == .usable { return .deliver(copy) }
        return outcomes.contains(nil) ? .wait : .deliver(0)
    }
}

/// The state of an origin in a hedging policy.
struct HedgedOrigin: Sendable {
    private(set) var latencies = Latencies()
    private var account: RetryAccount?
    private var heldUntil: NIODeadline?

    /// Counts a request.
    mutating func count(at now: NIODeadline) {
        guard account != nil else { return account = RetryAccount(at: now) }
        account?.count()
    }

    /// Withdraws a hedge from the budget; returns false if none is left.
    mutating func withdraw(_ budget: RetryBudget?, at now: NIODeadline) -> Bool {
        guard let budget else { return true }
        var own = account ?? RetryAccount(at: now)
        defer { account = own }
        return own.withdraw(budget, at: now)
    }

    /// Adds the time to a response's head, or a wait that ended without a response.
    mutating func add(_ time: Duration) { latencies.add(time) }

    /// Permits no hedges for a time.
    mutating func hold(for time: Duration, at now: NIODeadline) {
        let end = now + TimeAmount(clamping: time)
        heldUntil = max(heldUntil ?? end, end)
    }

    func isHeld(at now: NIODeadline) -> Bool { heldUntil.map { now < $0 } ?? false }

    /// Returns the time without a response after which another copy is sent; nil while too few times are known.
    func delay(_ delay: HedgingPolicy.Delay) -> Duration? {
        switch delay {
        case .fixed(let time): return max(time, .zero)
        case .percentile(let share, let floor, let samples):
            guard latencies.count >= min(max(samples, 1), Latencies.most) else { return nil }
            return latencies.percentile(share).map { max($0, floor, .zero) }
        }
    }
}

/// The latest response times of an origin, and their percentiles.
struct Latencies: Sendable {
    /// The maximum number of times.
    static let most = 128

    private var ring: [Duration] = []
    private var sorted: [Duration] = []
    private var oldest = 0

    var count: Int { ring.count }

    mutating func add(_ time: Duration) {
        if ring.count < Self.most {
            ring.append(time)
        } else {
            let gone = ring[oldest]
            ring[oldest] = time
            oldest = (oldest + 1) % Self.most
            let index = index(of: gone)
            if sorted.indices.contains(index) { sorted.remove(at: index) }
        }
        sorted.insert(time, at: index(of: time))
    }

    /// Returns a percentile of the times; nil without times.
    ///
    /// - Parameter share: the percentage of times that are not longer, from 0 to 100.
    func percentile(_ share: Double) -> Duration? {
        guard !sorted.isEmpty, !share.isNaN else { return nil }
        let rank = (min(max(share, 0), 100) / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(max(Int(rank) - 1, 0), sorted.count - 1)]
    }

    /// Returns the index of the first time that is not shorter.
    private func index(of time: Duration) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
