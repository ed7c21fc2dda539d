public import Sterna
public import SternaCore
import Synchronization

/// A task, or a transfer of a ``TransferStore``, in a ``TransferQueue``.
public final class QueuedTransfer: Sendable, Identifiable {
    /// What it is doing.
    public enum State: Sendable, CustomStringConvertible {
        /// It waits: for the queue to start, for its turn, for others, or for its next attempt.
        case waiting
        case running
        /// It has succeeded.
        case finished
        /// It has failed, or was cancelled, or was given back to its store; in both of these cases the error's kind is `cancelled`, unless it lacks
        /// credentials.
        case failed(SternaError)

        /// Whether nothing further happens to it.
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

    /// A number that is unique within its queue.
    public let id: Int

    /// Whether it sends a body, rather than receiving one.
    public let isUpload: Bool

    /// Whether it yields to transfers that are not in the background.
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

    /// The task, that of the last attempt; nil for a transfer of a store.
    public var task: SessionTask? { (work as? TaskWork)?.task }

    /// The transfer of a store; nil for a task.
    public var transfer: Transfer? { (work as? DurableWork)?.transfer }

    /// What it is doing.
    public var state: State { channel.current.state }

    /// How far it is.
    public var progress: TransferProgress { channel.current.progress }

    /// Waits until it is over, and returns how it ended; throws `cancelled` if the Swift task is cancelled, which does not cancel it.
    @discardableResult
    public func end() async throws -> State {
        for await snapshot in Updates(channel, startsAtOnce: true) where snapshot.state.isOver { return snapshot.state }
        let state = state
        guard state.isOver else {
            throw SternaError(
                .cancelled, phase: .wait,
                "The wait for the end of a queued transfer was cancelled; the transfer goes on.")
        }
        return state
    }

    /// Cancels it: it fails with `cancelled`. Has no effect after its end.
    public func cancel() { queue?.cancel(self) }

    /// The priority among those that wait for a turn.
    public var priority: Request.Priority {
        get { queue?.priority(of: id) ?? .normal }
        set { queue?.setPriority(newValue, of: id) }
    }

    /// Lets it wait for the end of another one of its queue. Has no effect if that is over and has succeeded.
    ///
    /// Throws `invalidRequest` if it has begun, if the other one is in another queue, or if that waits for this one.
    public func wait(for other: QueuedTransfer) throws(SternaError) {
        guard let queue else { return }
        try queue.require(self, after: other)
    }

    /// Whether the queue goes on without it though it is not over, or without what it waits for.
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
