import SternaCore
import Synchronization

/// Lets tasks wait for a condition, which is evaluated at every reported change.
final class ChangeSignal: Sendable {
    private struct Waiter {
        let isMet: @Sendable () -> Bool
        let wait = Wait<Bool>()
    }

    private let waiters = Mutex<[ObjectIdentifier: Waiter]>([:])

    func changed() {
        let asked = waiters.withLock { $0 }
        for waiter in asked.values where waiter.isMet() { waiter.wait.end(.success(true)) }
    }

    /// Waits for a condition; returns whether it held within the time, `nil` for no limit. Returns false if the task is cancelled.
    func wait(within seconds: Double?, _ isMet: @escaping @Sendable () -> Bool) async -> Bool {
        if isMet() { return true }
        let waiter = Waiter(isMet: isMet)
        let wait = waiter.wait
        waiters.withLock { $0[wait.id] = waiter }
        defer { waiters.withLock { $0[wait.id] = nil } }
        // Otherwise a change between the first check and the line above would be lost.
        if isMet() { return true }
        let timer = seconds.map { seconds in
            Task {
                try? await Task.sleep(for: Self.duration(seconds))
                wait.end(.success(false))
            }
        }
        defer { timer?.cancel() }
        return (try? await wait.value()) ?? false
    }

    /// Returns a duration within the clock's bounds: at most about thirty years, zero for NaN.
    static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds.isNaN ? 0 : min(max(0, seconds), 1e9))
    }
}
