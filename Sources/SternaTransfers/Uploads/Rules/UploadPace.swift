import SternaCore

/// The limits on failures and waits of an upload, so that no server keeps it running for ever.
struct UploadPatience: Sendable, Hashable {
    /// The number of faults in a row without progress that an upload survives; 8 by default.
    var failures = 8

    /// The number of requests in a row without progress, faults or not, that an upload survives; 40 by default.
    var requests = 40

    /// The number of accepted requests in a row without effect, such as content that does not move the offset, or of redirects in
    /// a row, at which the upload fails; 5 by default.
    var idle = 5

    /// How often an upload is created again because the server has forgotten it; 2 by default. All runs together have
    /// ``UploadState/mostRestarts``.
    var restarts = 2

    /// The longest wait that a server may request; 120 s by default. A longer one fails the upload, which can be resumed.
    var longestWait = Duration.seconds(120)

    /// The wait between two requests for the offset of an upload that an earlier run began; 200 ms by default.
    var settling = Duration.milliseconds(200)

    /// The maximum of the first wait, which doubles with each further fault, and the limit of all; 500 ms and 30 s by default.
    var firstWait = Duration.milliseconds(500)
    var limit = Duration.seconds(30)
}

/// Counts requests without progress, and decides whether an upload continues. A value without a clock.
struct UploadPace: Sendable, Hashable {
    enum Move: Sendable, Hashable {
        /// Continue from a state, after a wait.
        case go(UploadState, after: Duration)
        case end(UploadState)
        /// Stop; the state is the last one.
        case fail(UploadFault, UploadState)
    }

    private let patience: UploadPatience
    private var failures = 0
    private var requests = 0
    private var idle = 0
    private var redirects = 0
    private var restarts = 0
    private var total: Int64 = 0

    init(_ patience: UploadPatience = UploadPatience()) { self.patience = patience }

    /// Decides the consequence of an outcome.
    ///
    /// - Parameters:
    ///   - state: the state before the request.
    ///   - latest: the state after the request's interim responses.
    ///   - random: a random number from 0 to 1, which chooses the wait.
    mutating func move(
        _ decision: UploadDecision, from state: UploadState, latest: UploadState, random: Double
    ) -> Move {
        total += 1
        switch decision {
        case .complete(let next): return .end(next)
        case .fail(let fault): return .fail(fault, latest.unsure())
        case .proceed(let next):
            count(from: state, to: next)
            let isIdle = Self.isIdle(from: state, to: next)
            idle += isIdle ? 1 : 0
            guard idle < patience.idle, requests <= patience.requests, total <= Self.most else {
                return .fail(stall(next), next)
            }
            return .go(next, after: isIdle ? wait(random, after: idle) : .zero)
        case .follow(let next, let status):
            count(from: state, to: next)
            redirects += 1
            guard redirects < patience.idle, requests <= patience.requests, total <= Self.most else {
                return .fail(.redirectLoop(status), next)
            }
            return .go(next, after: redirects > 1 ? wait(random, after: redirects - 1) : .zero)
        case .again(let next, let fault, let asked):
            count(from: state, to: next)
            failures += 1
            guard failures <= patience.failures, requests <= patience.requests, total <= Self.most else {
                return .fail(fault, next)
            }
            if let asked, asked > patience.longestWait { return .fail(.waitTooLong(asked.components.seconds), next) }
            return .go(next, after: max(asked ?? .zero, wait(random, after: failures)))
        case .startAnew(let next, let fault):
            restarts += 1
            guard restarts <= patience.restarts else { return .fail(fault, next) }
            var anew = next.startedAnew()
            if case .gone(let status) = fault {
                guard next.restarts < UploadState.mostRestarts else { return .fail(.forgotten(status), next) }
                anew.restarts += 1
            }
            (failures, requests, idle) = (0, 0, 0)
            return .go(anew, after: wait(random, after: restarts))
        }
    }

    private mutating func count(from state: UploadState, to next: UploadState) {
        if next.offset > state.offset || next.url != nil && state.url == nil {
            (failures, requests, idle, redirects) = (0, 0, 0, 0)
        } else {
            requests += 1
        }
    }

    /// Whether an accepted request had no effect, so that the next one would be the same.
    private static func isIdle(from state: UploadState, to next: UploadState) -> Bool {
        if next.offset != state.offset { return next.offset < state.offset }
        let isKnown = next.isCurrent && !state.isCurrent || next.isLengthTold != state.isLengthTold
        let isSmaller = next.largestAppend != state.largestAppend || next.createsEmpty != state.createsEmpty
        return !isKnown && !isSmaller && next.dialect == state.dialect && (next.url == nil) == (state.url == nil)
    }

    /// The maximum number of requests of an upload, so that a server cannot take it byte by byte.
    static let most = 2 * UploadRule.mostAppends

    /// The fault of accepted requests without effect.
    private func stall(_ state: UploadState) -> UploadFault {
        if state.url == nil { return .noLocation }
        if state.largestAppend != nil { return .contentRefused }
        return state.offset == state.length ? .unfinished : .stalled(state.offset)
    }

    /// Returns the wait after a number of requests in a row without progress: at least half of the maximum, so that a loop is slow.
    private func wait(_ random: Double, after count: Int) -> Duration {
        ExponentialBackoff(first: patience.firstWait, limit: patience.limit).delay(count - 1, random: random)
    }
}
