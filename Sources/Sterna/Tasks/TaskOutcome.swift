import SternaCore
import Synchronization

/// The value or error of a task, which any number of Swift tasks may await.
final class TaskOutcome<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, SternaError>?
        var waits: [ObjectIdentifier: Wait<Value>] = [:]
        var calls: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// The result; nil before the task is complete.
    var result: Result<Value, SternaError>? { state.withLock { $0.result } }

    /// Sets the result, unless there is one, and resumes all waiters.
    func set(_ result: Result<Value, SternaError>) {
        let (waits, calls) = state.withLock { state -> ([Wait<Value>], [@Sendable () -> Void]) in
            guard state.result == nil else { return ([], []) }
            state.result = result
            defer { (state.waits, state.calls) = ([:], []) }
            return (Array(state.waits.values), state.calls)
        }
        for wait in waits { wait.end(result.mapError { $0 as any Error }) }
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
            let wait = Wait<Value>()
            let result = state.withLock { state in
                if state.result == nil { state.waits[wait.id] = wait }
                return state.result
            }
            if let result { return try result.get() }
            defer { state.withLock { $0.waits[wait.id] = nil } }
            return try await wait.value(cancelled: Self.waitCancelled)
        }
    }

    private static var waitCancelled: SternaError {
        SternaError(
            .cancelled, phase: .wait,
            "The Swift task that waits for the task's value was cancelled; the task itself continues.")
    }
}
