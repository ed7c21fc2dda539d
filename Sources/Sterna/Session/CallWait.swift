import NIOCore
package import SternaCore
import Synchronization

/// A wait between attempts, or before the first. It ends at once when the Swift task or the call is cancelled, and its time stops
/// while the call is paused.
final class CallWait: CallStep {
    private struct State {
        var isOver = false
        var timer: ClockTimer?
    }

    private let waiting = Wait<Void>()
    private let state = Mutex(State())
    private let call: Call?
    private let time: LoopClock
    private let delay: TimeAmount

    /// The instant at which the wait ends if the call is never paused.
    private let due: NIODeadline

    /// The time that the call had left at the beginning.
    private let reach: TimeAmount

    init(_ delay: Duration, _ call: Call?, _ time: LoopClock) {
        self.call = call
        self.time = time
        self.delay = TimeAmount(clamping: delay)
        let now = time.clock.now
        due = now + self.delay
        reach = call.map { $0.deadline.instant - now } ?? .zero
    }

    /// Waits before a request is sent; throws `cancelled` if the Swift task or the call is cancelled.
    nonisolated(nonsending) static func wait(
        _ delay: Duration, before request: Request, on time: LoopClock
    ) async throws {
        try await CallWait(delay, request.call, time).wait()
    }

    /// Waits until the time is over or ``wake()`` is called; throws `cancelled` if the Swift task or the call is cancelled.
    nonisolated(nonsending) func wait() async throws {
        guard call?.beginWait(self) != false else { throw Self.cancelled }
        defer { call?.endWait(self) }
        try await waiting.value(onCancel: { callCancelled() }, begin: { check() })
    }

    /// Ends the wait early.
    func wake() { end(.success(())) }

    private static var cancelled: SternaError {
        SternaError(.cancelled, phase: .wait, "The request was cancelled while it waited to be sent.")
    }

    /// The remaining time of the wait; nil while the call is paused. Each pause moves the call's deadline, so the time left until
    /// then shows how much unpaused time has passed.
    private var rest: TimeAmount? {
        let now = time.clock.now
        guard let call else { return due - now }
        let limit = call.limit
        guard limit < .distantFuture else { return nil }
        return delay - (reach - (limit - now))
    }

    /// Ends the wait if its time has passed, or sets a timer for the remaining time.
    private func check() {
        guard let rest else { return }
        guard rest > .zero else { return end(.success(())) }
        let timer = time.clock.schedule(in: rest, on: time.loop) { self.check() }
        let old = state.withLock { state -> ClockTimer? in
            guard !state.isOver else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    private func end(_ result: Result<Void, any Error>) {
        let timer = state.withLock { state in
            state.isOver = true
            return state.timer.take()
        }
        timer?.cancel()
        waiting.end(result)
    }

    // MARK: The call

    func callCancelled() { end(.failure(Self.cancelled)) }

    func callResumed() { check() }
}

extension LoopClock {
    /// Waits for a time; throws `cancelled` if the Swift task is cancelled.
    package nonisolated(nonsending) func wait(_ delay: Duration) async throws {
        try await CallWait(delay, nil, self).wait()
    }
}
