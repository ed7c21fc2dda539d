public import Sterna
public import SternaCore
import Synchronization

/// A task or a transfer of a ``TransferStore`` in a ``TransferQueue``.
public final class QueuedTransfer: Sendable, Identifiable {
    /// The state of a queued transfer.
    public enum State: Sendable, CustomStringConvertible {
        /// The transfer waits for the start of the queue, for its turn, for a dependency, or for its next attempt.
        case waiting
        /// The transfer has its turn.
        case running
        /// The transfer has succeeded.
        case finished
        /// The transfer has failed, was cancelled, or returned to its store. The error's kind is `cancelled` in the last two cases,
        /// unless the transfer lacks credentials.
        case failed(SternaError)

        /// Whether the transfer is over for its queue: finished or failed.
        public var isOver: Bool {
            switch self {
            case .waiting, .running: false
            case .finished, .failed: true
            }
        }

        public var description: String {
            switch self {
            case .waiting: "waiting"
            case .running: "running"
            case .finished: "finished"
            case .failed(let error): "failed: \(error.message)"
            }
        }
    }

    /// The number of the transfer, unique within its queue.
    public let id: Int

    /// Whether it is an upload.
    public let isUpload: Bool

    /// Whether it yields bandwidth and turns to transfers that are not in the background.
    public let isBackground: Bool

    let work: any QueueWork
    private weak let queue: TransferQueue?
    private let channel = UpdateChannel(Snapshot())

    private struct Snapshot: Sendable {
        var state = State.waiting
        var progress = TransferProgress(completed: 0)
    }

    init(_ id: Int, _ work: any QueueWork, isBackground: Bool, in queue: TransferQueue) {
        (self.id, self.work, self.isBackground, self.queue) = (id, work, isBackground, queue)
        isUpload = work.isUpload
    }

    /// The task of the last attempt; nil for a transfer of a store.
    public var task: SessionTask? { (work as? TaskWork)?.task }

    /// The transfer of a store; nil for a task.
    public var transfer: Transfer? { (work as? DurableWork)?.transfer }

    /// The present state.
    public var state: State { channel.current.state }

    /// The present progress, in bytes.
    public var progress: TransferProgress { channel.current.progress }

    /// Waits until the transfer is over, and returns its final state. Throws `cancelled` if the Swift task is cancelled, which does
    /// not cancel the transfer.
    @discardableResult
    public func end() async throws -> State {
        for await snapshot in Updates(channel, startsAtOnce: true) where snapshot.state.isOver { return snapshot.state }
        let state = state
        guard state.isOver else {
            throw SternaError(
                .cancelled, phase: .wait,
                "The wait for the end of a queued transfer was cancelled; the transfer continues.")
        }
        return state
    }

    /// Cancels the transfer for good: it fails with `cancelled`. Has no effect on a transfer that is over.
    public func cancel() { queue?.cancel(self) }

    /// The priority among waiting transfers; `normal` after the end.
    public var priority: Request.Priority {
        get { queue?.priority(of: id) ?? .normal }
        set { queue?.setPriority(newValue, of: id) }
    }

    /// Makes the transfer begin only after another one of its queue has ended. Has no effect if that has succeeded already. If the
    /// other one fails, so does this one, unless ``TransferQueueOptions/runsAfterFailure`` is set.
    ///
    /// Throws `invalidRequest` if this transfer has begun, if the other one is in another queue, or if that waits for this one.
    public func wait(for other: QueuedTransfer) throws(SternaError) {
        guard let queue else { return }
        try queue.require(self, after: other)
    }

    /// Whether it left the queue unfinished, or a dependency did.
    var isLeft: Bool { if case .failed(let error) = state { error.underlying is LeftToStore } else { false } }

    func isOf(_ other: TransferQueue) -> Bool { queue === other }

    // MARK: Called by the queue, under its lock

    func set(_ state: State) {
        var snapshot = channel.current
        guard !snapshot.state.isOver else { return }
        snapshot.state = state
        channel.report(snapshot)
        if state.isOver { channel.end() }
    }

    func set(_ progress: TransferProgress) {
        var snapshot = channel.current
        snapshot.progress = progress
        channel.report(snapshot)
    }
}
