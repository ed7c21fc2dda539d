public import SternaCore

/// Receives the events of a session's tasks; Alamofire's EventMonitor. All methods default to no-ops.
///
///     final class Log: TaskObserver {
///         func taskResumed(_ task: SessionTask) { print("begins", task.id) }
///         func taskCompleted(_ task: SessionTask, _ error: SternaError?) { print("ends", task.id, error?.message ?? "") }
///     }
///
///     let api = try Session { $0.taskObservers = [Log()] }
///
/// Each method has the name and the arguments of a closure of ``SessionHooks``, which is called first; observers follow in their order
/// in ``SessionSettings/taskObservers``. They share one mailbox per task: calls come in order, one at a time, on
/// ``SessionSettings/callbacks``, in a Swift task with the task-local values of the code that created the task. A method that takes
/// long holds back the task's data.
///
/// Observers do not decide: they see what the closures have decided. For connections and attempts see ``SternaCore/NetworkObserver``.
public protocol TaskObserver: Sendable {
    // MARK: Sessions

    /// A session was invalidated, and none of its tasks runs.
    func sessionInvalidated(_ session: Session)

    // MARK: The life of a task

    /// A session has built the request of a task.
    func requestCreated(_ task: SessionTask, _ request: Request)

    /// A task was created.
    func taskCreated(_ task: SessionTask)

    /// A task starts or continues.
    func taskResumed(_ task: SessionTask)

    /// A task was suspended.
    func taskSuspended(_ task: SessionTask)

    /// A task was cancelled; ``taskCompleted(_:_:)`` follows.
    func taskCancelled(_ task: SessionTask)

    /// The metrics of a task that is about to complete, if the session collects metrics.
    func metricsCollected(_ task: SessionTask, _ metrics: RequestMetrics)

    /// The last event of a task, with the error if the task failed.
    func taskCompleted(_ task: SessionTask, _ error: SternaError?)

    // MARK: Requests and bodies

    /// Upload progress.
    func bodyDataSent(_ task: SessionTask, _ progress: TransferProgress)

    /// A response's head has arrived; ``SessionHooks/responseReceived`` has decided, or `allow` holds without it.
    func responseReceived(_ task: SessionTask, _ response: Response, _ disposition: ResponseDisposition)

    /// A piece of a response's body.
    func dataReceived(_ task: SessionTask, _ piece: Bytes)

    // MARK: Downloads

    /// The progress of a download's file.
    func bytesWritten(_ task: DownloadTask, _ progress: TransferProgress)

    /// A download goes on behind bytes that it already has; with the length of the file if it is known.
    func downloadResumed(_ task: DownloadTask, _ offset: Int64, _ length: Int64?)

    /// The complete file is at its path.
    func downloadFinished(_ task: DownloadTask, _ path: String)
}

extension TaskObserver {
    public func sessionInvalidated(_ session: Session) {}
    public func requestCreated(_ task: SessionTask, _ request: Request) {}
    public func taskCreated(_ task: SessionTask) {}
    public func taskResumed(_ task: SessionTask) {}
    public func taskSuspended(_ task: SessionTask) {}
    public func taskCancelled(_ task: SessionTask) {}
    public func metricsCollected(_ task: SessionTask, _ metrics: RequestMetrics) {}
    public func taskCompleted(_ task: SessionTask, _ error: SternaError?) {}
    public func bodyDataSent(_ task: SessionTask, _ progress: TransferProgress) {}
    public func responseReceived(_ task: SessionTask, _ response: Response, _ disposition: ResponseDisposition) {}
    public func dataReceived(_ task: SessionTask, _ piece: Bytes) {}
    public func bytesWritten(_ task: DownloadTask, _ progress: TransferProgress) {}
    public func downloadResumed(_ task: DownloadTask, _ offset: Int64, _ length: Int64?) {}
    public func downloadFinished(_ task: DownloadTask, _ path: String) {}
}
