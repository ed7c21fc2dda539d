import NIOCore
import Synchronization

/// Wakes tasks when something has changed.
final class PeerSignal: Sendable {
    private struct State {
        var version = 0
        var next = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    /// Counts the changes; to be read before the state is.
    var version: Int { state.withLock { $0.version } }

    func changed() {
        let waiters = state.withLock { state in
            state.version += 1
            let waiters = state.waiters
            state.waiters = [:]
            return waiters
        }
        for waiter in waiters.values { waiter.resume(returning: true) }
    }

    /// Waits for a change since a version; false if there was none by the deadline or the task is cancelled.
    func change(since version: Int, by deadline: NIODeadline?) async -> Bool {
        let identifier = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = deadline.map { deadline in
            loop.scheduleTask(deadline: deadline) { self.resume(identifier, false) }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasChanged = state.withLock { state in
                    if state.version == version { state.waiters[identifier] = continuation }
                    return state.version != version
                }
                if hasChanged {
                    continuation.resume(returning: true)
                } else if Task.isCancelled || deadline.map({ $0 <= .now() }) == true {
                    // A change or a cancellation before the entry above could not find it.
                    resume(identifier, false)
                }
            }
        } onCancel: {
            self.resume(identifier, false)
        }
    }

    private func resume(_ identifier: Int, _ changed: Bool) {
        state.withLock { $0.waiters.removeValue(forKey: identifier) }?.resume(returning: changed)
    }
}
