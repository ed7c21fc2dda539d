import NIOCore
import SternaCore
import Synchronization

/// Measures the copies of a request on the network, and signals when another copy is due.
final class HedgeWatch: Sendable {
    private struct State: Sendable {
        /// When the copies with pending responses were sent.
        var sent: [Int: NIODeadline] = [:]
        var latest = 0
        var timer: ClockTimer?
        var isOver = false
    }

    private let state = Mutex(State())
    private let request: Request
    private let policy: HedgingPolicy
    private let time: LoopClock
    private let signal: AsyncStream<Void>.Continuation

    /// Delivers an element when another copy is due.
    let due: AsyncStream<Void>

    init(_ request: Request, _ policy: HedgingPolicy, _ time: LoopClock) {
        (self.request, self.policy, self.time) = (request, policy, time)
        (due, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private var origin: Origin { request.url.origin }

    func progress(_ hedges: Int, hasEnded: Bool = false, at now: NIODeadline) -> HedgeRule.Progress {
        HedgeRule.Progress(
            hedges: hedges, hasEnded: hasEnded,
            timeLeft: request.deadline.map { .nanoseconds(($0.instant - now).nanoseconds) },
            isCancelled: Task.isCancelled || request.call?.isCancelled == true)
    }

    /// Returns a copy of the request that reports to this object.
    func copy(_ number: Int) -> Request {
        var copy = request
        copy.state.attempt.hedgeCopy = HedgeCopy(watch: self, number: number)
        guard number > 0 else { return copy }
        copy.attemptReason = .hedge
        // Only the first copy reports upload progress and interim responses.
        copy.uploadProgress = nil
        copy.options[ifSet: InformationalResponseKey.self] = nil
        state.withLock { $0.latest = number }
        return copy
    }

    /// Returns whether another copy is sent now; withdraws it from the budget.
    func mayHedge(_ race: HedgeRace) -> Bool {
        let now = time.clock.now
        let progress = progress(race.hedges, hasEnded: race.hasEnded, at: now)
        return policy.update(origin) { origin in
            var known = origin
            let refusal = HedgeRule.refusal(
                request, policy.rules, origin, progress, at: now, budget: known.withdraw(policy.rules.budget, at: now))
            origin = known
            return refusal == nil
        }
    }

    // MARK: Copies on the network

    func sent(_ copy: Int) {
        let now = time.clock.now
        let progress = progress(copy, at: now)
        let plan = policy.update(origin) { HedgeRule.plan(request, policy.rules, $0, progress, at: now) }
        let isLatest = state.withLock { state in
            state.sent[copy] = now
            return state.latest == copy && !state.isOver
        }
        if isLatest, case .hedge(let delay) = plan { wait(TimeAmount(clamping: delay), since: copy) }
    }

    private func wait(_ delay: TimeAmount, since copy: Int) {
        let timer = time.clock.schedule(in: delay, on: time.loop) { self.ring(delay, copy) }
        let old = state.withLock { state -> ClockTimer? in
            guard !state.isOver, state.latest == copy, state.sent[copy] != nil else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    private func ring(_ delay: TimeAmount, _ copy: Int) {
        // While the call is paused, no copy is due.
        if request.call?.isPaused == true { return wait(delay, since: copy) }
        signal.yield()
    }

    /// Records that a response's head has arrived.
    func answered(_ copy: Int, _ response: Response) {
        let now = time.clock.now
        let status = response.status.code
        let hold = HedgeRule.hold(after: status, retryAfter: RetryAfter.delay(response.section))
        guard let sent = end(copy) else { return }
        policy.update(origin) { origin in
            if let hold { origin.hold(for: hold, at: now) }
            if HedgeRule.isUsable(status) { origin.add(.nanoseconds((now - sent).nanoseconds)) }
        }
    }

    /// Records that a copy has failed. A time-out counts as a response time.
    func failed(_ copy: Int, _ error: any Error) {
        let now = time.clock.now
        guard let sent = end(copy), (error as? SternaError)?.kind == .timedOut else { return }
        policy.update(origin) { $0.add(.nanoseconds((now - sent).nanoseconds)) }
    }

    private func end(_ copy: Int) -> NIODeadline? {
        let (sent, timer) = state.withLock { state -> (NIODeadline?, ClockTimer?) in
            (state.sent.removeValue(forKey: copy), state.latest == copy ? state.timer.take() : nil)
        }
        timer?.cancel()
        return sent
    }

    /// Ends the race. The waits of the other copies count as response times, so that slow responses are represented.
    ///
    /// - Parameter isDecided: whether a usable response has arrived.
    func finish(isDecided: Bool) {
        let now = time.clock.now
        let (late, timer) = state.withLock { state in
            state.isOver = true
            defer { state.sent = [:] }
            return (state.sent, state.timer.take())
        }
        timer?.cancel()
        signal.finish()
        guard isDecided, !late.isEmpty else { return }
        policy.update(origin) { origin in
            for sent in late.values { origin.add(.nanoseconds((now - sent).nanoseconds)) }
        }
    }
}

/// A copy of a request, as it reaches the network.
struct HedgeCopy: Sendable {
    let watch: HedgeWatch
    let number: Int
}

/// Reports the copies of hedged requests on the network, below waits for turns, tokens and credentials.
struct HedgeReportInterceptor: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let copy = request.state.attempt.hedgeCopy else { return try await next(request) }
        copy.watch.sent(copy.number)
        do {
            let response = try await next(request)
            copy.watch.answered(copy.number, response)
            return response
        } catch {
            copy.watch.failed(copy.number, error)
            throw error
        }
    }
}
