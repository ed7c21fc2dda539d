import SternaCore
import Synchronization

/// The value or error of a task, which any number of Swift tasks may await.
final class TaskOutcome<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, SternaError>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var lastWaiter = 0
        var calls: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// The result; nil before the task is complete.
    var result: Result<Value, SternaError>? { state.withLock { $0.result } }

    /// Sets the result, unless there is one, and resumes all waiters.
    func set(_ result: Result<Value, SternaError>) {
        let (waiters, calls) = state.withLock { state in
            guard state.result == nil else {
                return ([CheckedContinuation<Value, any Error>](), [@Sendable () -> Void]())
            }
            state.result = result
            defer { (state.waiters, state.calls) = ([:], []) }
            return (Array(state.waiters.values), state.calls)
        }
        for waiter in waiters { waiter.resume(with: result.mapError { $0 as any Error }) }
        for call in calls { call() }
    }

    /// Calls a closure once there is a result; at once if there is one.
    func whenSet(_ call: @escaping @Sendable () -> Void) {
        let isSet = state.withLock { state in
            if state.result == nil { state.calls.append(call) }
            return state.result != nil
        }
        if isSet { call() }
    }

    /// Waits for the result. Cancelling the waiting Swift task ends only the wait, with `cancelled`.
    var value: Value {
        get async throws {
            let waiter = state.withLock { state in
                state.lastWaiter += 1
                return state.lastWaiter
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result: Result<Value, any Error>? = state.withLock { state in
                        if let result = state.result { return result.mapError { $0 as any Error } }
                        if Task.isCancelled { return .failure(Self.waitCancelled) }
                        state.waiters[waiter] = continuation
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(throwing: Self.waitCancelled)
            }
        }
    }

    private static var waitCancelled: SternaError {
        SternaError(
            .cancelled, phase: .wait,
            "The Swift task that waits for the task's value was cancelled; the task itself goes on.")
    }
}
