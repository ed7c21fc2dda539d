/// How often an upload may fail, and how long it waits: so that no server makes it go on for ever.
struct UploadPatience: Sendable, Hashable {
    /// The number of faults in a row, without progress between them, that an upload goes on after; 8 by default.
    var failures = 8

    /// The number of requests in a row without progress, faults or not; 40 by default.
    var requests = 40

    /// How often an upload is created again because the server has forgotten it; 2 by default.
    var restarts = 2

    /// The longest wait that a server may ask for; 120 s by default. A longer one fails the upload, which can be resumed.
    var longestWait = Duration.seconds(120)

    /// The wait between two questions for the offset of an upload that a former run began; 200 ms by default.
    var settling = Duration.milliseconds(200)

    /// The maximum of the first wait, which doubles with each further fault, and the limit of all; 500 ms and 30 s by default.
    var firstWait = Duration.milliseconds(500)
    var limit = Duration.seconds(30)
}

/// Counts what happens without progress, and decides whether an upload goes on: a value without a clock.
struct UploadPace: Sendable, Hashable {
    enum Move: Sendable, Hashable {
        /// Go on from a state, after a wait.
        case go(UploadState, after: Duration)
        case end(UploadState)
        /// Stop; the state is the last one.
        case fail(UploadFault, UploadState)
    }

    private let patience: UploadPatience
    private var failures = 0
    private var requests = 0
    private var restarts = 0
    private var total: Int64 = 0

    init(_ patience: UploadPatience = UploadPatience()) { self.patience = patience }

    /// Decides what follows an answer.
    ///
    /// - Parameters:
    ///   - state: the state before the answer's request.
    ///   - latest: the state after the request's interim responses.
    ///   - random: a random number from 0 to 1, which chooses the wait.
    mutating func move(
        _ answer: UploadAnswer, from state: UploadState, latest: UploadState, random: Double
    ) -> Move {
        total += 1
        switch answer {
        case .complete(let next): return .end(next)
        case .fail(let fault): return .fail(fault, latest.unsure())
        case .proceed(let next):
            count(from: state, to: next)
            guard requests <= patience.requests, total <= Self.most else { return .fail(stall(next), next) }
            return .go(next, after: .zero)
        case .again(let next, let fault, let asked):
            count(from: state, to: next)
            failures += 1
            guard failures <= patience.failures, requests <= patience.requests, total <= Self.most else {
                return .fail(fault, next)
            }
            if let asked, asked > patience.longestWait { return .fail(.waitTooLong(asked.components.seconds), next) }
            return .go(next, after: max(asked ?? .zero, wait(random)))
        case .startAnew(let next, let fault):
            restarts += 1
            guard restarts <= patience.restarts else { return .fail(fault, next) }
            (failures, requests) = (0, 0)
            return .go(next.startedAnew(), after: .zero)
        }
    }

    private mutating func count(from state: UploadState, to next: UploadState) {
        if next.offset > state.offset || next.url != nil && state.url == nil {
            (failures, requests) = (0, 0)
        } else {
            requests += 1
        }
    }

    /// The number of requests that an upload may take at all, so that a server cannot take it byte by byte.
    static let most = 2 * UploadRule.mostAppends

    /// The fault of requests that lead nowhere although none of them fails.
    private func stall(_ state: UploadState) -> UploadFault {
        state.url == nil ? .noLocation : .stalled(state.offset)
    }

    /// Returns the wait before the next request: at least half of the maximum, so that a loop is slow, too.
    private func wait(_ random: Double) -> Duration {
        var longest = patience.firstWait
        for _ in 1..<max(failures, 1) where longest < patience.limit { longest = longest * 2 }
        longest = min(longest, patience.limit)
        return longest / 2 + longest / 2 * min(max(random, 0), 1)
    }
}
