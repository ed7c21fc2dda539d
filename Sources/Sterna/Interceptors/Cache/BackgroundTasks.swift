import Synchronization

/// Runs tasks in the background, and lets others wait until all have ended.
final class BackgroundTasks: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.tasks.isEmpty } }

    /// Begins work, and keeps this object alive until the work ends.
    func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.last += 1
            let number = state.last
            // The task removes itself after this closure has listed it, since it needs the lock for that.
            state.tasks[number] = Task {
                await work()
                _ = self.state.withLock { $0.tasks.removeValue(forKey: number) }
            }
        }
    }

    /// Waits until all work has ended, including work that begins meanwhile.
    func wait() async {
        while let task = state.withLock({ $0.tasks.first?.value }) { await task.value }
    }
}
