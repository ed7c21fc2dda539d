public import SternaCore

/// Closures that a session calls as its tasks go on; AFURLSessionManager's blocks. All are nil by default.
///
///     let api = try Session(baseURL: "https://api.example.com") { settings in
///         settings.hooks = SessionHooks()
///         settings.hooks?.taskCompleted = { task, error in print(task.id, error?.message ?? "done") }
///     }
///
/// They run on ``SessionSettings/callbacks``, like the callbacks of the same task: in order, one at a time, in a Swift task with
/// the task-local values of the code that created the task. A hook that decides (``redirect``, ``responseReceived``) and
/// ``dataReceived`` hold the task back until they return; progress is coalesced. They are called for tasks, not for `async` verbs.
///
/// Each event calls its closure first, then the method of the same name of every ``TaskObserver``.
public struct SessionHooks: Sendable {
    public init() {}

    // MARK: Sessions

    /// Called when a session was invalidated and none of its tasks runs; AFNetworking's `setSessionDidBecomeInvalidBlock`.
    public var sessionInvalidated: (@Sendable () -> Void)?

    // MARK: The life of a task

    /// Called with the request that a session has built for a task.
    public var requestCreated: (@Sendable (SessionTask, Request) -> Void)?

    /// Called when an interceptor of ``SessionSettings/interceptors`` has passed on another request than it received; with both.
    public var requestAdapted: (@Sendable (SessionTask, Request, Request) -> Void)?

    /// Called when an interceptor of ``SessionSettings/interceptors`` has failed before it passed the request on.
    public var adaptationFailed: (@Sendable (SessionTask, Request, SternaError) -> Void)?

    /// Called when a task was created.
    public var taskCreated: (@Sendable (SessionTask) -> Void)?

    /// Called when a task starts or continues.
    public var taskResumed: (@Sendable (SessionTask) -> Void)?

    /// Called when a task was suspended.
    public var taskSuspended: (@Sendable (SessionTask) -> Void)?

    /// Called when a task was cancelled; ``taskCompleted`` follows.
    public var taskCancelled: (@Sendable (SessionTask) -> Void)?

    /// Called when the retry policy, or a retrier, has decided on a retry, with its reason and the wait before it.
    public var retryScheduled: (@Sendable (SessionTask, Request, ScheduledRetry) -> Void)?

    /// Called when a request is sent again, by a retry, or on another connection since the one that it had was stale; with the
    /// number of attempts so far, redirects included.
    public var taskRetried: (@Sendable (SessionTask, Request, Int) -> Void)?

    /// Called with the metrics of a task before it completes, if the session collects metrics.
    public var metricsCollected: (@Sendable (SessionTask, RequestMetrics) -> Void)?

    /// Called last, with the error if the task failed; AFNetworking's `setTaskDidCompleteBlock`.
    public var taskCompleted: (@Sendable (SessionTask, SternaError?) -> Void)?

    // MARK: Requests and bodies

    /// Decides on a redirect that the session's policy and ``SessionSettings/redirectHandler`` would follow; AFNetworking's
    /// `setTaskWillPerformHTTPRedirectionBlock`. Without it the policy decides.
    public var redirect: (@Sendable (SessionTask, Response, Request) async -> RedirectDecision)?

    /// Called with what happens to a redirect that the session's policy follows or refuses.
    public var redirectDecided: (@Sendable (SessionTask, Response, RedirectDecision) -> Void)?

    /// Returns the content of a request that a redirect, an answer to a challenge or a retry sends again, although its body can be read
    /// only once; AFNetworking's `setTaskNeedNewBodyStreamBlock`. Nil, as without it, fails a redirect with `bodyNotReplayable`, and leaves
    /// the response or the error that led there to the caller.
    public var needNewBody: (@Sendable (SessionTask, Request) async -> Body?)?

    /// Answers a server's challenge (401) that no setting has a credential for; AFNetworking's
    /// `setTaskDidReceiveAuthenticationChallengeBlock` and `setAuthenticationChallengeHandler`.
    ///
    /// ``ChallengeDisposition/useDefault`` asks the handlers of the request and of the session, as without it. It is called again when the
    /// server refuses its credential.
    public var challengeReceived: (@Sendable (SessionTask, CredentialChallenge) async -> ChallengeDisposition)?

    /// Called with upload progress; AFNetworking's `setTaskDidSendBodyDataBlock`.
    public var bodyDataSent: (@Sendable (SessionTask, TransferProgress) -> Void)?

    /// Decides what happens after a response's head; AFNetworking's `setDataTaskDidReceiveResponseBlock`.
    public var responseReceived: (@Sendable (SessionTask, Response) async -> ResponseDisposition)?

    /// Called when the response serializer has accepted a response, or rejected it with an error. The media type is checked later,
    /// with the value.
    public var responseValidated: (@Sendable (SessionTask, Response, SternaError?) -> Void)?

    /// Called with the value that a task with callbacks has decoded, or with the error that prevented it.
    public var valueParsed: (@Sendable (SessionTask, Result<any Sendable, SternaError>) -> Void)?

    /// Called with each piece of a response's body; AFNetworking's `setDataTaskDidReceiveDataBlock`.
    public var dataReceived: (@Sendable (SessionTask, Bytes) async -> Void)?

    // MARK: Downloads

    /// Called when a response becomes a download, before that begins; AFNetworking's `setDataTaskDidBecomeDownloadTaskBlock`.
    public var becameDownload: (@Sendable (SessionTask, DownloadTask) -> Void)?

    /// Called with the progress of the file of a download; AFNetworking's `setDownloadTaskDidWriteDataBlock`.
    public var bytesWritten: (@Sendable (DownloadTask, TransferProgress) -> Void)?

    /// Called when a download goes on behind bytes that it already has, with their number and the length of the file if it is
    /// known; AFNetworking's `setDownloadTaskDidResumeBlock`.
    public var downloadResumed: (@Sendable (DownloadTask, Int64, Int64?) -> Void)?

    /// Called with the path at which a complete file is to be placed; a taken name may still get a number.
    public var destinationChosen: (@Sendable (DownloadTask, String) -> Void)?

    /// Called with the path of the complete file.
    public var downloadFinished: (@Sendable (DownloadTask, String) -> Void)?

    /// Called when a complete file could not be moved to the chosen path.
    public var downloadNotMoved: (@Sendable (DownloadTask, String, SternaError) -> Void)?
}
