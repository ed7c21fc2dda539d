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

    /// An interceptor of ``SessionSettings/interceptors`` has passed on another request than it received.
    func requestAdapted(_ task: SessionTask, _ received: Request, _ adapted: Request)

    /// An interceptor of ``SessionSettings/interceptors`` has failed before it passed the request on.
    func adaptationFailed(_ task: SessionTask, _ request: Request, _ error: SternaError)

    /// A task was created.
    func taskCreated(_ task: SessionTask)

    /// A task starts or continues.
    func taskResumed(_ task: SessionTask)

    /// A task was suspended.
    func taskSuspended(_ task: SessionTask)

    /// A task was cancelled; ``taskCompleted(_:_:)`` follows.
    func taskCancelled(_ task: SessionTask)

    /// A request is sent again on another connection; with the number of attempts so far, redirects included.
    func taskRetried(_ task: SessionTask, _ request: Request, _ attempts: Int)

    /// The metrics of a task that is about to complete, if the session collects metrics.
    func metricsCollected(_ task: SessionTask, _ metrics: RequestMetrics)

    /// The last event of a task, with the error if the task failed.
    func taskCompleted(_ task: SessionTask, _ error: SternaError?)

    // MARK: Requests and bodies

    /// What happens to a redirect that the session's policy follows or refuses.
    func redirectDecided(_ task: SessionTask, _ response: Response, _ decision: RedirectDecision)

    /// A request is to be sent again, although its body can be read only once; with the body of ``SessionHooks/needNewBody``.
    func newBodyNeeded(_ task: SessionTask, _ request: Request, _ body: Body?)

    /// A server's challenge (401) that no setting had a credential for; with what ``SessionHooks/challengeReceived`` or a handler has
    /// decided.
    func challengeReceived(
        _ task: SessionTask, _ challenge: CredentialChallenge, _ disposition: ChallengeDisposition)

    /// Upload progress.
    func bodyDataSent(_ task: SessionTask, _ progress: TransferProgress)

    /// A response's head has arrived; ``SessionHooks/responseReceived`` has decided, or `allow` holds without it.
    func responseReceived(_ task: SessionTask, _ response: Response, _ disposition: ResponseDisposition)

    /// The response serializer has accepted a response, or rejected it with an error.
    func responseValidated(_ task: SessionTask, _ response: Response, _ error: SternaError?)

    /// A task with callbacks has decoded its value, or could not.
    func valueParsed(_ task: SessionTask, _ result: Result<any Sendable, SternaError>)

    /// A piece of a response's body.
    func dataReceived(_ task: SessionTask, _ piece: Bytes)

    // MARK: Downloads

    /// A task's response becomes a download, which has not begun yet.
    func becameDownload(_ task: SessionTask, _ download: DownloadTask)

    /// The progress of a download's file.
    func bytesWritten(_ task: DownloadTask, _ progress: TransferProgress)

    /// A download goes on behind bytes that it already has; with the length of the file if it is known.
    func downloadResumed(_ task: DownloadTask, _ offset: Int64, _ length: Int64?)

    /// The path at which a complete file is to be placed is known.
    func destinationChosen(_ task: DownloadTask, _ path: String)

    /// The complete file is at its path.
    func downloadFinished(_ task: DownloadTask, _ path: String)

    /// A complete file could not be moved to its path.
    func downloadNotMoved(_ task: DownloadTask, _ path: String, _ error: SternaError)
}

extension TaskObserver {
    public func sessionInvalidated(_ session: Session) {}
    public func requestCreated(_ task: SessionTask, _ request: Request) {}
    public func requestAdapted(_ task: SessionTask, _ received: Request, _ adapted: Request) {}
    public func adaptationFailed(_ task: SessionTask, _ request: Request, _ error: SternaError) {}
    public func taskCreated(_ task: SessionTask) {}
    public func taskResumed(_ task: SessionTask) {}
    public func taskSuspended(_ task: SessionTask) {}
    public func taskCancelled(_ task: SessionTask) {}
    public func taskRetried(_ task: SessionTask, _ request: Request, _ attempts: Int) {}
    public func metricsCollected(_ task: SessionTask, _ metrics: RequestMetrics) {}
    public func taskCompleted(_ task: SessionTask, _ error: SternaError?) {}
    public func redirectDecided(_ task: SessionTask, _ response: Response, _ decision: RedirectDecision) {}
    public func newBodyNeeded(_ task: SessionTask, _ request: Request, _ body: Body?) {}
    public func challengeReceived(
        _ task: SessionTask, _ challenge: CredentialChallenge, _ disposition: ChallengeDisposition
    ) {}
    public func bodyDataSent(_ task: SessionTask, _ progress: TransferProgress) {}
    public func responseReceived(_ task: SessionTask, _ response: Response, _ disposition: ResponseDisposition) {}
    public func responseValidated(_ task: SessionTask, _ response: Response, _ error: SternaError?) {}
    public func valueParsed(_ task: SessionTask, _ result: Result<any Sendable, SternaError>) {}
    public func dataReceived(_ task: SessionTask, _ piece: Bytes) {}
    public func becameDownload(_ task: SessionTask, _ download: DownloadTask) {}
    public func bytesWritten(_ task: DownloadTask, _ progress: TransferProgress) {}
    public func downloadResumed(_ task: DownloadTask, _ offset: Int64, _ length: Int64?) {}
    public func destinationChosen(_ task: DownloadTask, _ path: String) {}
    public func downloadFinished(_ task: DownloadTask, _ path: String) {}
    public func downloadNotMoved(_ task: DownloadTask, _ path: String, _ error: SternaError) {}
}
