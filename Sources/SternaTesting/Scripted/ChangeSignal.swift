import Synchronization

/// Lets tasks wait until a condition holds, which is asked again at every change told.
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

    /// Whether the condition came to hold in time; `nil` seconds wait until it does or the task is cancelled.
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
                // A change or a cancellation between the first look and the entry above would otherwise be lost.
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

    /// A length of time within bounds that the clock takes: at most about thirty years, none for what is no number.
    static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds.isNaN ? 0 : min(max(0, seconds), 1e9))
    }

    private func resume(_ identifier: Int, returning met: Bool) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: identifier) }
        waiter?.continuation.resume(returning: met)
    }
}
