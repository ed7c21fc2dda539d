import NIOCore
import Synchronization

/// Makes calls of user code in order, one at a time, each in a turn of an event loop that changes nothing else.
final class CallLine: Sendable {
    private struct State {
        var calls: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Makes a call after those that were posted before.
    ///
    /// - Parameter loop: the event loop that makes it, unless another one is making those before it.
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
