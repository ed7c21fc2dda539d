import Synchronization

/// Lets tasks wait for a condition, which is evaluated at every reported change.
final class ChangeSignal: Sendable {
    private struct Waiter {
        let isMet: @Sendable () -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    func changed() {
        let asked = state.withLock { $0.waiters }
        for (identifier, waiter) in asked where waiter.isMet() {
            resume(identifier, returning: true)
        }
    }

    /// Waits for a condition; returns whether it held in time. With `nil` seconds it waits until then or until the task is
    /// cancelled.
    func wait(within seconds: Double?, _ isMet: @escaping @Sendable () -> Bool) async -> Bool {
        if isMet() { return true }
        let identifier = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = seconds.map { seconds in
            Task {
                try? await Task.sleep(for: Self.duration(seconds))
                self.resume(identifier, returning: false)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiters[identifier] = Waiter(isMet: isMet, continuation: continuation) }
                // Otherwise a change or a cancellation between the first check and the registration above would be lost.
                if isMet() {
                    resume(identifier, returning: true)
                } else if Task.isCancelled {
                    resume(identifier, returning: false)
                }
            }
        } onCancel: {
            self.resume(identifier, returning: false)
        }
    }

    /// Returns a duration within the clock's bounds: at most about thirty years, zero for NaN.
    static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds.isNaN ? 0 : min(max(0, seconds), 1e9))
    }

    private func resume(_ identifier: Int, returning met: Bool) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: identifier) }
        waiter?.continuation.resume(returning: met)
    }
}
