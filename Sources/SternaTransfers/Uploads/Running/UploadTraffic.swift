import Sterna
import SternaCore
import Synchronization

/// Counts an upload among the transfers of its engine, as tasks count themselves: those in the background yield to the others.
final class UploadTraffic: Sendable {
    private let session: Session
    private let last: Mutex<Int64>

    /// The bytes of one report at most that count as sent: a longer step is what the server had already.
    private static let longestStep: Int64 = 16 << 20

    /// - Parameter start: the bytes that earlier attempts have sent.
    init(_ session: Session, from start: Int64) {
        self.session = session
        last = Mutex(start)
    }

    /// Runs an attempt, which counts until it ends.
    func counted<R>(_ attempt: () async throws -> R) async rethrows -> R {
        let isBackground = session.isInBackground
        session.countTransfer(runs: true, isBackground: isBackground)
        defer { session.countTransfer(runs: false, isBackground: isBackground) }
        return try await attempt()
    }

    /// Notes how much was sent.
    func sent(_ progress: TransferProgress) {
        let (step, overflow) = last.withLock { last in
            defer { last = progress.completed }
            return progress.completed.subtractingReportingOverflow(last)
        }
        if !overflow, step > 0, step <= Self.longestStep { session.traffic.transferred(Int(step)) }
    }
}
