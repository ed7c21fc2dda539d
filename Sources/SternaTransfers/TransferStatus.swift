import Sterna
public import SternaCore
import SternaPlatform

/// The state and the progress of a transfer.
public struct TransferStatus: Sendable, Hashable, CustomStringConvertible {
    /// The state.
    public internal(set) var state: TransferState

    /// The bytes transferred so far, the total if it is known, the rate and the remaining time.
    public internal(set) var progress: TransferProgress

    /// Why a running attempt waits for the server, such as a response with the status 423; nil while it makes progress.
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

    /// Returns the status with further progress; nil if the progress is the same. More bytes clear the obstacle.
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
