import NIOCore
import SternaCore
import Synchronization

/// A wait for code of the user, which ends with its call: by cancellation, or when the call is out of time.
final class AnswerWait<Value: Sendable>: CallStep {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var result: Result<Value, any Error>?
        var task: Task<Void, Never>?
        var timer: ClockTimer?
    }

    private let request: Request
    private let time: LoopClock
    private let state = Mutex(State())

    private init(_ request: Request, _ time: LoopClock) {
        self.request = request
        self.time = time
    }

    /// Returns the result of an operation, which runs in a task of its own, and is cancelled when its request ends.
    nonisolated(nonsending) static func wait(
        for request: Request, on time: LoopClock, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let wait = AnswerWait(request, time)
        guard request.call?.beginWait(wait) != false else { throw SternaError.cancelled(phase: .wait).at(request) }
        defer { request.call?.endWait(wait) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early = wait.state.withLock { state -> Result<Value, any Error>? in
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let early { return continuation.resume(with: early) }
                let task = Task {
                    do { wait.end(.success(try await work())) } catch { wait.end(.failure(error)) }
                }
                wait.began(task)
            }
        } onCancel: {
            wait.callCancelled()
        }
    }

    private func began(_ task: Task<Void, Never>) {
        let isWaiting = state.withLock { state in
            guard state.result == nil else { return false }
            state.task = task
            return true
        }
        guard isWaiting else { return task.cancel() }
        callResumed()
    }

    private func end(_ result: Result<Value, any Error>) {
        let ended = state.withLock { state -> State? in
            guard state.result == nil, state.continuation != nil else {
                // It was cancelled before it began, which then finds the result.
                if state.result == nil { state.result = result }
                return nil
            }
            state.result = result
            defer { (state.continuation, state.task, state.timer) = (nil, nil, nil) }
            return state
        }
        guard let ended else { return }
        ended.timer?.cancel()
        if case .failure = result { ended.task?.cancel() }
        ended.continuation?.resume(with: result)
    }

    private var limit: NIODeadline {
        min(request.call?.limit ?? .distantFuture, request.ownDeadline?.instant ?? .distantFuture)
    }

    // MARK: The call

    func callCancelled() { end(.failure(SternaError.cancelled(phase: .wait).at(request))) }

    func callResumed() {
        let limit = limit
        guard limit < .distantFuture else { return }
        let timer = time.clock.schedule(at: limit, on: time.loop) { self.timePassed() }
        let old = state.withLock { state -> ClockTimer? in
            guard state.result == nil else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    // The call may have been paused meanwhile.
    private func timePassed() {
        guard limit <= time.clock.now else { return callResumed() }
        end(
            .failure(
                SternaError(
                    .timedOut, phase: .wait,
                    "The request ran out of time while it waited for credentials or its signature."
                ).at(request)))
    }
}
