import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// A request that reads a shared transfer. The end of its call, by cancellation or by its deadline, does not affect the other
/// readers.
final class SharedReader: CallStep {
    private struct State {
        var hasHead = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let transfer: SharedTransfer
    private let number: Int
    private let request: Request
    private let deadlines: DeadlineWatch

    init(_ transfer: SharedTransfer, _ number: Int, _ request: Request, _ deadlines: DeadlineWatch) {
        (self.transfer, self.number, self.request, self.deadlines) = (transfer, number, request, deadlines)
    }

    /// Begins to observe the call's cancellation and deadline; returns false if the call was cancelled.
    func begin() -> Bool {
        guard request.call?.beginWait(self) != false else { return false }
        deadlines.add(self)
        // Another thread may have cancelled the call in the meantime.
        if state.withLock(\.isOver) { deadlines.remove(self) }
        return true
    }

    /// Waits for the head of the response, and returns the outcome for this request.
    nonisolated(nonsending) func outcome() async throws -> SharedTransfer.Outcome {
        while true {
            // Returns at once if the head has arrived.
            await transfer.wait(number)
            if Task.isCancelled { throw Self.cancelled(.wait) }
            if let outcome = try transfer.outcome(for: number) {
                state.withLock { $0.hasHead = true }
                return outcome
            }
        }
    }

    /// Returns the next step of the body; never `wait`. After a cancellation of the Swift task another may continue to read.
    nonisolated(nonsending) func next() async throws -> SharedTransfer.Step {
        while true {
            if Task.isCancelled { throw Self.cancelled(.read) }
            let step = transfer.take(number)
            guard case .wait = step else { return step }
            await transfer.wait(number)
        }
    }

    /// Leaves the transfer.
    func finish() {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        deadlines.remove(self)
        request.call?.endWait(self)
        transfer.leave(number)
    }

    /// Leaves the transfer; further reads fail.
    func cancel() { end(Self.cancelled(.read)) }

    private func end(_ error: SternaError) { transfer.end(number, error.at(request)) }

    static func cancelled(_ phase: SternaError.Phase) -> SternaError { .cancelled(phase: phase) }

    private var phase: SternaError.Phase { state.withLock { $0.hasHead ? .read : .wait } }

    // MARK: The call

    func callCancelled() { end(Self.cancelled(phase)) }

    func callResumed() { deadlines.update(self) }
}

extension SharedReader: DeadlineWatch.Member {
    // A suspended call has no limit.
    var deadline: NIODeadline {
        min(request.call?.limit ?? .distantFuture, request.ownDeadline?.instant ?? .distantFuture)
    }

    func deadlinePassed() {
        end(
            SternaError(
                .timedOut, phase: phase,
                "The request's deadline or total time-out has passed; it shared the transfer of an identical request."
            ))
    }
}
