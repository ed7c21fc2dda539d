import Sterna
import SternaCore
import Synchronization

/// Counts an upload among the transfers of its engine, as tasks count themselves: transfers in the background yield to the others.
final class UploadTraffic: Sendable {
    private let session: Session
    private let last: Mutex<Int64>

    /// The most bytes of one report that count as sent: a longer step is content that the server already had.
    private static let longestStep: Int64 = 16 << 20

    /// - Parameter start: the bytes sent by earlier attempts.
    init(_ session: Session, from start: Int64) {
        self.session = session
        last = Mutex(start)
    }

    /// Runs an attempt, and counts it until it ends.
    func counted<R>(_ attempt: () async throws -> R) async rethrows -> R {
        let isBackground = session.isInBackground
        session.countTransfer(runs: true, isBackground: isBackground)
        defer { session.countTransfer(runs: false, isBackground: isBackground) }
        return try await attempt()
    }

    /// Records how much was sent.
    func sent(_ progress: TransferProgress) {
        let (step, overflow) = last.withLock { last in
            defer { last = progress.completed }
            return progress.completed.subtractingReportingOverflow(last)
        }
        if !overflow, step > 0, step <= Self.longestStep { session.traffic.transferred(Int(step)) }
    }
}
