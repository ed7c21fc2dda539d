import Sterna
import SternaCore
import Synchronization

/// A session's task in a queue.
final class TaskWork: QueueWork {
    private struct State {
        var task: SessionTask
        var attempts = 1
        var isStopped = false
        var queue: TransferQueue?
    }

    private let state: Mutex<State>
    private let link: Mutex<TransferLink?>
    private let report: @Sendable (TransferProgress, Int64) -> Void
    private let ended: @Sendable (SternaError?) -> Void

    let isUpload: Bool
    let host: String
    let length: Int64?

    /// - Parameters:
    ///   - report: called with the progress, and the bytes transferred before.
    ///   - ended: called at the end of each attempt, with its error if it failed.
    init(
        _ task: SessionTask, report: @escaping @Sendable (TransferProgress, Int64) -> Void,
        ended: @escaping @Sendable (SternaError?) -> Void
    ) {
        state = Mutex(State(task: task))
        link = Mutex(nil)
        (self.report, self.ended) = (report, ended)
        let request = task.originalRequest
        isUpload = task is UploadTask
        host = request?.url.host ?? ""
        length = task is UploadTask ? request?.body.map { $0.length } ?? 0 : nil
    }

    var task: SessionTask { state.withLock { $0.task } }

    /// Binds the task to the queue. Returns false if it has begun or is in a queue.
    func join(_ link: TransferLink) -> Bool {
        guard task.join(link) else { return false }
        self.link.withLock { $0 = link }
        return watch(task)
    }

    /// Calls `ended` at the end of an attempt. Returns false for a task that streams its response.
    private func watch(_ task: SessionTask) -> Bool {
        // In a Swift task: a cancelled task may complete at once, while its queue is locked. Detached, since it begins others.
        task.whenComplete { [ended] in Task.detached { ended(task.error) } }
    }

    /// Prepares another attempt, which waits for its turn. Returns false if none is possible.
    func again() -> Bool {
        guard !state.withLock({ $0.isStopped }), let link = link.withLock({ $0 }), let next = task.again(),
            next.join(link)
        else { return false }
        let isStopped = state.withLock { state in
            if state.isStopped { return true }
            state.task = next
            state.attempts += 1
            return false
        }
        // The queue was stopped meanwhile, which cancelled only the previous task.
        guard !isStopped else {
            next.cancel()
            return false
        }
        return watch(next)
    }

    var present: (progress: TransferProgress, resumedAt: Int64) {
        let task = task
        return (task.progress.current, task.resumedBytes)
    }

    var attempts: Int { state.withLock { $0.attempts } }

    func askForLength() async -> Int64? { isUpload ? nil : await task.contentLength() }

    func beginTurn(keeping queue: TransferQueue) {
        let task = state.withLock { state in
            state.queue = queue
            return state.task
        }
        task.resume()
        Task { [report] in
            for await step in task.progress { report(step, task.resumedBytes) }
        }
    }

    func release() { withExtendedLifetime(state.withLock { $0.queue.take() }) {} }

    func suspend() { task.suspend() }

    func goOn() { task.resume() }

    func cancel() {
        state.withLock { $0.isStopped = true }
        task.cancel()
    }

    func stop() async {
        state.withLock { $0.isStopped = true }
        if let download = task as? DownloadTask {
            await download.cancelProducingResumeData()
        } else {
            task.cancel()
        }
    }

    func setPriority(_ priority: Request.Priority) { task.priority = priority }
}
