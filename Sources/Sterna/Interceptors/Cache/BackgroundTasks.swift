import Synchronization

/// Work that is done behind the callers' backs, and that others can wait for.
final class BackgroundTasks: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.tasks.isEmpty } }

    /// Begins work, and retains this object until it has ended.
    func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.last += 1
            let number = state.last
            // It ends after this closure has listed it, since it needs the lock for that.
            state.tasks[number] = Task {
                await work()
                _ = self.state.withLock { $0.tasks.removeValue(forKey: number) }
            }
        }
    }

    /// Waits until all work has ended, also what begins meanwhile.
    func wait() async {
        while let task = state.withLock({ $0.tasks.first?.value }) { await task.value }
    }
}
