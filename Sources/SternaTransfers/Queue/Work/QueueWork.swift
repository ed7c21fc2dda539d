import Sterna
import SternaCore

/// What a queue runs: a task, or a transfer of a store.
protocol QueueWork: AnyObject, Sendable {
    var isUpload: Bool { get }
    var host: String { get }

    /// The length, if it is known before the beginning.
    var length: Int64? { get }

    /// How far it is now, and the bytes that were there before.
    var present: (progress: TransferProgress, resumedAt: Int64) { get }

    /// Asks the server for the length; nil if it does not say.
    func askForLength() async -> Int64?

    /// The turn has come; keeps the queue until the end.
    func turn(keeping queue: TransferQueue)

    /// Lets the queue go, since the transfer is over.
    func release()

    /// Pauses work that has its turn.
    func suspend()

    /// Carries paused work on.
    func goOn()

    /// Cancels it for good.
    func cancel()

    /// Ends the work, and keeps what it can go on from.
    func stop() async

    func setPriority(_ priority: Request.Priority)
}
