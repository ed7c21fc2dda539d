import Sterna
public import SternaCore
import SternaPlatform

/// What a transfer is doing, and how far it is.
public struct TransferStatus: Sendable, Hashable, CustomStringConvertible {
    public internal(set) var state: TransferState

    /// The bytes that are there, the total if it is known, the rate and the time that is left.
    public internal(set) var progress: TransferProgress

    /// Why a running attempt waits: what the server has answered last, such as 423; nil while it goes on.
    public internal(set) var obstacle: TransferFailure?

    init(_ history: TransferHistory, _ details: TransferDescription) {
        state = history.state
        switch history.state {
        case .finished(_, let length): progress = TransferProgress(completed: length, total: length)
        default:
            progress = TransferProgress(
                completed: history.keptBytes, total: history.data?.length ?? details.content?.length)
        }
    }

    /// Returns the status of the same attempt, further on; nil if the progress is the same. What it waited for is over once more bytes have
    /// passed.
    func advanced(to progress: TransferProgress) -> TransferStatus? {
        guard progress != self.progress else { return nil }
        var status = self
        status.progress = progress
        if progress.completed > self.progress.completed { status.obstacle = nil }
        return status
    }

    public var description: String { "\(state), \(progress)" }
}

/// The time in milliseconds since 1970.
enum TransferClock {
    static func now() -> Int64 {
        let milliseconds = Date().timeIntervalSince1970 * 1_000
        return Int64(exactly: milliseconds.rounded()) ?? 0
    }
}
