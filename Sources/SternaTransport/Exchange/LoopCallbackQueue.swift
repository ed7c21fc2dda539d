import NIOCore
import Synchronization

/// Calls user code in order, one call at a time, in event-loop turns that change no other state.
final class LoopCallbackQueue: Sendable {
    private struct State {
        var calls: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Enqueues a call after those posted before.
    ///
    /// - Parameter loop: the event loop that runs the call, unless another loop is running earlier ones.
    func post(on loop: any EventLoop, _ call: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.calls.append(call)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { loop.execute { self.run() } }
    }

    private func run() {
        while let calls = takeCalls() {
            for call in calls { call() }
        }
    }

    private func takeCalls() -> [@Sendable () -> Void]? {
        state.withLock { state in
            guard !state.calls.isEmpty else {
                state.isRunning = false
                return nil
            }
            defer { state.calls = [] }
            return state.calls
        }
    }
}
