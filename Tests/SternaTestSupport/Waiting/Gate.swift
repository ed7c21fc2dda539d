import Synchronization

/// Holds tasks until it is opened, so that no test depends on how fast the machine is.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Resumes all waiting tasks; later ones pass at once.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.sorted { $0.key < $1.key }.map(\.value)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the gate is open, also in a cancelled task.
    func wait() async {
        let number = nextNumber()
        await withCheckedContinuation { enter($0, number) }
    }

    /// Returns when the gate is open or the task is cancelled.
    func pass() async {
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { enter($0, number, unless: Task.isCancelled) }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    private func enter(
        _ waiter: CheckedContinuation<Void, Never>, _ number: Int, unless isCancelled: @autoclosure () -> Bool = false
    ) {
        let passes = state.withLock { state in
            // Under the lock, so that a cancellation either is seen here or finds the waiter.
            if state.isOpen || isCancelled() { return true }
            state.waiters[number] = waiter
            return false
        }
        if passes { waiter.resume() }
    }
}
