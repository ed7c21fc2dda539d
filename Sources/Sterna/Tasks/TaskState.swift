/// The state of a ``SessionTask``.
public enum TaskState: String, Sendable, Hashable, CaseIterable {
    /// The task has not been resumed yet, or was suspended.
    case suspended

    /// The task runs.
    case running

    /// The task was cancelled and will complete with an error of kind `cancelled`.
    case cancelling

    /// The task has its value or its error.
    case completed
}

/// The rules by which a task changes its state.
struct TaskLifecycle: Sendable, Equatable {
    private(set) var state = TaskState.suspended

    /// Whether the task was resumed at least once, so that its work runs.
    private(set) var hasBegun = false

    /// What the task must do after a change.
    enum Effect: Sendable, Equatable {
        case nothing
        /// Starts the work.
        case begin
        /// Lets the work continue.
        case goOn
        /// Pauses the work.
        case pause
        /// Cancels the work.
        case cancel
        /// Completes at once with `cancelled`; there is no work.
        case complete
    }

    /// Resumes a suspended task; has no effect on any other.
    mutating func resume() -> Effect {
        guard state == .suspended else { return .nothing }
        state = .running
        guard hasBegun else {
            hasBegun = true
            return .begin
        }
        return .goOn
    }

    /// Suspends a running task; has no effect on any other.
    mutating func suspend() -> Effect {
        guard state == .running else { return .nothing }
        state = .suspended
        return .pause
    }

    /// Cancels a task that is not over; a second call has no effect.
    mutating func cancel() -> Effect {
        switch state {
        case .cancelling, .completed: return .nothing
        case .running, .suspended:
            state = .cancelling
            return hasBegun ? .cancel : .complete
        }
    }

    /// Completes the task; returns whether it was not complete before.
    mutating func complete() -> Bool {
        guard state != .completed else { return false }
        state = .completed
        return true
    }
}
