/// What a transfer is doing.
public enum TransferState: Sendable, Hashable, CustomStringConvertible {
    /// It waits for its turn, or for its next attempt.
    case waiting
    /// An attempt is under way, in this process or in another one, or was when its process ended.
    case running
    /// The program has paused it.
    case paused
    /// The file is at its destination.
    case finished(path: String, length: Int64)
    /// It has failed for good.
    case failed(TransferFailure)
    /// The program has cancelled it.
    case cancelled

    /// Whether nothing further happens to it.
    public var isOver: Bool {
        switch self {
        case .waiting, .running, .paused: false
        case .finished, .failed, .cancelled: true
        }
    }

    public var description: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed(let failure): "failed: \(failure)"
        case .cancelled: "cancelled"
        }
    }
}
