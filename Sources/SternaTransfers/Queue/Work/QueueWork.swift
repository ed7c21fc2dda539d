import Sterna
import SternaCore

/// The work of a queued transfer: a task, or a transfer of a store.
protocol QueueWork: AnyObject, Sendable {
    var isUpload: Bool { get }
    var host: String { get }

    /// The length in bytes; nil if it is unknown before the beginning.
    var length: Int64? { get }

    /// The present progress, and the bytes transferred before.
    var present: (progress: TransferProgress, resumedAt: Int64) { get }

    /// Requests the length from the server; nil if it does not send one.
    func askForLength() async -> Int64?

    /// Begins the turn. Keeps the queue alive until the end.
    func beginTurn(keeping queue: TransferQueue)

    /// Releases the queue, since the transfer is over.
    func release()

    /// Pauses work that has its turn.
    func suspend()

    /// Resumes suspended work.
    func goOn()

    /// Cancels it for good.
    func cancel()

    /// Stops the work, and keeps its resumable state.
    func stop() async

    func setPriority(_ priority: Request.Priority)
}
