import NIOCore
import SternaCore
import Synchronization

/// A request that waits for a token, at most until its deadline or its cancellation.
final class TokenWaiter: Sendable {
    enum Outcome: Sendable {
        case use(TokenRule.Ticket)
        case fail(SternaError)
        /// The token was replaced.
        case again
    }

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
        var timer: ClockTimer?
    }

    private let state = Mutex(State())
    private let request: Request
    private let time: LoopClock

    /// How often it looks whether all calls of its session were cancelled.
    private static let checkInterval = TimeAmount.seconds(1)

    init(_ request: Request, _ time: LoopClock) {
        self.request = request
        self.time = time
    }

    /// Ends the wait; only the first outcome counts.
    func resolve(_ outcome: Outcome) {
        let (continuation, timer) = state.withLock { state in
            guard state.outcome == nil else { return (CheckedContinuation<Outcome, Never>?.none, ClockTimer?.none) }
            state.outcome = outcome
            return (state.continuation.take(), state.timer.take())
        }
        timer?.cancel()
        continuation?.resume(returning: outcome)
    }

    /// Waits for the outcome.
    func outcome() async -> Outcome {
        if let call = request.call {
            guard call.beginPause(self) else { return .fail(cancelled) }
            defer { call.end(self) }
            return await wait()
        }
        return await wait()
    }

    private func wait() async -> Outcome {
        check()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            resolve(.fail(cancelled))
        }
    }

    private var cancelled: SternaError { SternaError.cancelled(phase: .prepare).at(request) }

    /// Ends the wait if its time is up or its session's calls were cancelled, else sets the timer for the next look.
    private func check() {
        if request.call?.isScopeCancelled == true { return resolve(.fail(cancelled)) }
        let now = time.clock.now
        let isPaused = request.call?.isPaused == true
        let limit = isPaused ? .distantFuture : request.deadline?.instant ?? .distantFuture
        guard limit > now else {
            return resolve(
                .fail(
                    SternaError(
                        .timedOut, phase: .prepare,
                        "The time for the whole request was up while it waited for a new token."
                    ).at(request)))
        }
        let timer = time.clock.schedule(at: min(limit, now + Self.checkInterval), on: time.loop) { [weak self] in
            self?.check()
        }
        let old = state.withLock { state -> ClockTimer? in
            guard state.outcome == nil else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }
}

extension TokenWaiter: CallStep {
    func callCancelled() { resolve(.fail(cancelled)) }

    // The deadline that holds now may come before the next look.
    func callResumed() { check() }
}
