import Sterna
import SternaCore
import Synchronization

/// A store's transfer in a queue, which gives its turns in place of the store.
final class DurableWork: QueueWork, TransferScheduling {
    private struct State {
        var wait: Wait<Void>?
        var queue: TransferQueue?
    }

    let transfer: Transfer
    private let state = Mutex(State())

    /// The bytes transferred before it was added.
    let known: Int64
    private let asked: @Sendable () -> Void
    private let rested: @Sendable () -> Void
    private let changedPriority: @Sendable (Request.Priority) -> Void
    private let left: @Sendable (SternaError) -> Void

    /// - Parameters:
    ///   - asked: called when the transfer requests a turn.
    ///   - rested: called when its turn or its wait has ended.
    ///   - changedPriority: called when the program changes the transfer's priority.
    ///   - left: called when it has returned to its store.
    init(
        _ transfer: Transfer, asked: @escaping @Sendable () -> Void, rested: @escaping @Sendable () -> Void,
        changedPriority: @escaping @Sendable (Request.Priority) -> Void,
        left: @escaping @Sendable (SternaError) -> Void
    ) {
        (self.transfer, self.asked, self.rested) = (transfer, asked, rested)
        (self.changedPriority, self.left) = (changedPriority, left)
        known = transfer.status.progress.completed
    }

    var isUpload: Bool { transfer.details.kind != .download }
    var host: String { transfer.details.url.host }
    var length: Int64? { transfer.status.progress.total }

    var present: (progress: TransferProgress, resumedAt: Int64) { (transfer.status.progress, known) }

    func askForLength() async -> Int64? {
        guard !isUpload else { return nil }
        // Without the secrets the server would refuse the request.
        guard let headers = try? await transfer.requestHeaders() else { return nil }
        let draft = RequestDraft(.get, transfer.details.url, headers: headers)
        let task = transfer.ownSession.with { $0.tasks.startsImmediately = false }.dataTask(draft)
        return await task.contentLength()
    }

    // MARK: Turns

    func wait(_ id: TransferID, host: String, priority: Request.Priority) async throws {
        let wait = Wait<Void>()
        state.withLock { $0.wait = wait }
        asked()
        try? await wait.value()
        guard Task.isCancelled else { return }
        end(id)
        throw CancellationError()
    }

    func end(_ id: TransferID) {
        state.withLock { $0.wait = nil }
        rested()
    }

    func setPriority(_ priority: Request.Priority, of id: TransferID) { changedPriority(priority) }

    // MARK: Called by the queue

    func beginTurn(keeping queue: TransferQueue) {
        let wait = state.withLock { state in
            state.queue = queue
            return state.wait.take()
        }
        wait?.end()
    }

    /// Keeps the queue alive until the end: a transfer requests its turn a while after it was added.
    func keep(_ queue: TransferQueue) { state.withLock { $0.queue = queue } }

    func release() { withExtendedLifetime(state.withLock { $0.queue.take() }) {} }

    func suspend() {
        // It keeps the received bytes, and waits for a turn of the suspended queue.
        Task { await transfer.takeTurnAgain() }
    }

    func goOn() {}

    func cancel() {
        Task {
            do {
                try await transfer.cancel()
            } catch {
                // If the cancellation cannot be written, the transfer is left to later processes.
                leave(LeftToStore.error("It could not be cancelled: \(error)"))
            }
        }
    }

    /// Returns the transfer to its store, which does not begin it.
    func leave(_ error: SternaError) {
        Task {
            await transfer.leave()
            left(error)
        }
    }

    func stop() async { await transfer.leave() }

    func setPriority(_ priority: Request.Priority) {}
}

/// Marks the error of a transfer that left its queue unfinished: transfers that depend on it return to their store, too.
struct LeftToStore: Error {
    /// Returns the error of a transfer that returned to its store.
    static func error(_ reason: String) -> SternaError {
        SternaError(
            .cancelled, phase: .queue, "\(reason) The transfer can be resumed with its store.",
            underlying: LeftToStore())
    }
}
