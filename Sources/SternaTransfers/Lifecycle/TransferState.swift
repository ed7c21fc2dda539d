/// What a transfer is doing.
public enum TransferState: Sendable, Hashable, CustomStringConvertible {
    /// It waits for its turn, or for its next attempt.
    case waiting
    /// An attempt is under way, in this process or in another one, or was when its process ended.
    case running
    /// The program has paused it.
    case paused
    /// The server or a proxy wants other credentials (401, 403, 407), or the program has no value for a secret, or not the upload method. It
    /// goes on after ``Transfer/resume()``, and is tried again by later processes.
    case blocked(TransferFailure)
    /// The file is at its destination.
    case finished(path: String, length: Int64)
    /// It has failed for good.
    case failed(TransferFailure)
    /// The program has cancelled it.
    case cancelled

    /// Whether nothing further happens to it.
    public var isOver: Bool {
        switch self {
        case .waiting, .running, .paused, .blocked: false
        case .finished, .failed, .cancelled: true
        }
    }

    /// Whether it lacks credentials, or an upload method.
    public var isBlocked: Bool { if case .blocked = self { true } else { false } }

    public var description: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .paused: "paused"
        case .blocked(let failure): "blocked: \(failure)"
        case .finished: "finished"
        case .failed(let failure): "failed: \(failure)"
        case .cancelled: "cancelled"
        }
    }
}
