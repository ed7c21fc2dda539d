import NIOCore
package import SternaCore
import Synchronization

/// A request's wait for the user's code: for credentials, a token or a signature.
///
/// It ends with its request: when the Swift task, the call or the session's calls are cancelled, or when the request is out of
/// time. A call's pause holds its deadline.
package final class UserWait<Value: Sendable>: CallStep {
    private struct State {
        var isOver = false
        var giveUp: (@Sendable () -> Void)?
        var timer: ClockTimer?
    }

    private let request: Request
    private let time: LoopClock
    private let phase: SternaError.Phase
    private let late: @Sendable () -> SternaError
    private let wait = Wait<Value>()
    private let state = Mutex(State())

    /// Creates a wait.
    ///
    /// - Parameters:
    ///   - time: measures the request's limits.
    ///   - phase: the phase of a cancellation.
    ///   - late: the error of a request that is out of time.
    package init(
        for request: Request, on time: LoopClock, in phase: SternaError.Phase,
        late: @escaping @autoclosure @Sendable () -> SternaError
    ) {
        self.request = request
        self.time = time
        self.phase = phase
        self.late = late
    }

    /// Waits for the result, which ``end(_:)`` may have given already.
    ///
    /// - Parameter begin: begins an operation that ends the wait, and returns the function that ends the operation early; not called
    ///   if the wait is over before it begins.
    package nonisolated(nonsending) func value(
        _ begin: () -> (@Sendable () -> Void)? = { nil }
    ) async throws -> Value {
        guard request.call?.beginWait(self) != false else { throw cancelled }
        defer { request.call?.endWait(self) }
        return try await wait.value(onCancel: { callCancelled() }, begin: { began(begin()) })
    }

    /// Returns the result of an operation, which runs in a task of its own that is cancelled if the wait ends early.
    package nonisolated(nonsending) func result(of work: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        try await value {
            let task = Task {
                do { self.end(.success(try await work())) } catch { self.end(.failure(error)) }
            }
            return { task.cancel() }
        }
    }

    /// Ends the wait; only the first result counts.
    package func end(_ result: Result<Value, any Error>) {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            defer { state = State(isOver: true) }
            return state
        }
        guard let ended else { return }
        ended.timer?.cancel()
        if case .failure = result { ended.giveUp?() }
        wait.end(result)
    }

    private func began(_ giveUp: (@Sendable () -> Void)?) {
        let isWaiting = state.withLock { state in
            guard !state.isOver else { return false }
            state.giveUp = giveUp
            return true
        }
        guard isWaiting else {
            giveUp?()
            return
        }
        callResumed()
    }

    private var cancelled: SternaError { SternaError.cancelled(phase: phase).at(request) }

    /// When the request is out of time; `distantFuture` while its call is paused.
    private var limit: NIODeadline {
        let own = request.ownDeadline?.instant ?? .distantFuture
        guard let call = request.call else { return own }
        let limit = call.limit
        return limit < .distantFuture ? min(limit, own) : limit
    }

    // MARK: The call

    package func callCancelled() { end(.failure(cancelled)) }

    // A timer set before the pause fires early, never late: a pause only postpones the limit.
    package func callResumed() {
        let limit = limit
        guard limit < .distantFuture else { return }
        let timer = time.clock.schedule(at: limit, on: time.loop) { self.timePassed() }
        let old = state.withLock { state -> ClockTimer? in
            guard !state.isOver else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    private func timePassed() {
        guard limit <= time.clock.now else { return callResumed() }
        end(.failure(late().at(request)))
    }
}
