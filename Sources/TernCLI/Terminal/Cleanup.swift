import Synchronization

/// Clean-up actions that run before the process ends in any way: removing temporary files, restoring the echo.
enum Cleanup {
    private struct State {
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private static let state = Mutex(State())

    /// Registers an action; returns its number for ``run(_:)`` and ``forget(_:)``.
    static func add(_ action: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.actions[state.next] = action
            return state.next
        }
    }

    /// Removes an action, and runs it unless it has already run.
    static func run(_ number: Int) {
        let action = state.withLock { $0.actions.removeValue(forKey: number) }
        action?()
    }

    /// Removes an action without running it.
    static func forget(_ number: Int) {
        state.withLock { _ = $0.actions.removeValue(forKey: number) }
    }

    /// Runs all remaining actions.
    static func runAll() {
        let actions = state.withLock { state in
            defer { state.actions = [:] }
            return state.actions
        }
        for (_, action) in actions.sorted(by: { $0.key > $1.key }) { action() }
    }
}
