import Synchronization

/// What must be undone before the process ends, however it ends: temporary files, a terminal without echo.
enum Cleanup {
    private struct State {
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private static let state = Mutex(State())

    /// Remembers an action; the number takes it back.
    static func add(_ action: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.actions[state.next] = action
            return state.next
        }
    }

    /// Takes an action back, and runs it where it was not yet.
    static func run(_ number: Int) {
        let action = state.withLock { $0.actions.removeValue(forKey: number) }
        action?()
    }

    /// Takes an action back without running it.
    static func forget(_ number: Int) {
        state.withLock { _ = $0.actions.removeValue(forKey: number) }
    }

    /// Runs all that is left.
    static func runAll() {
        let actions = state.withLock { state in
            defer { state.actions = [:] }
            return state.actions
        }
        for (_, action) in actions.sorted(by: { $0.key > $1.key }) { action() }
    }
}
