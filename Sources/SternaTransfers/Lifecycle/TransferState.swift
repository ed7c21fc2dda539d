/// The state of a transfer.
public enum TransferState: Sendable, Hashable, CustomStringConvertible {
    /// The transfer waits for its turn or its next attempt.
    case waiting
    /// An attempt is running in this process or another one, or was running when its process ended.
    case running
    /// The program has paused the transfer.
    case paused
    /// The server or a proxy refuses the credentials (401, 403, 407), or the program lacks the value of a secret or the upload
    /// method. ``Transfer/resume()`` continues the transfer, and later processes retry it.
    case blocked(TransferFailure)
    /// The file is at its destination, or the server has the upload; with the path of the local file and the length in bytes.
    case finished(path: String, length: Int64)
    /// The transfer has failed for good.
    case failed(TransferFailure)
    /// The program has cancelled the transfer.
    case cancelled

    /// Whether the transfer is over: finished, failed or cancelled.
    public var isOver: Bool {
        switch self {
        case .waiting, .running, .paused, .blocked: false
        case .finished, .failed, .cancelled: true
        }
    }

    /// Whether the transfer is blocked.
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
