import SternaCore

/// An event of a task: the closure and the observers' method that it calls. The list of all events.
struct TaskEvent: Sendable {
    /// Calls the closure; nil where the closure decides, and so was called before.
    let hook: (@Sendable (SessionHooks, SessionTask) -> Void)?

    /// Calls the method of an observer.
    let observer: @Sendable (any TaskObserver, SessionTask) -> Void

    init(
        _ hook: (@Sendable (SessionHooks, SessionTask) -> Void)?,
        _ observer: @escaping @Sendable (any TaskObserver, SessionTask) -> Void
    ) {
        self.hook = hook
        self.observer = observer
    }

    /// Makes an event of downloads.
    private static func download(
        _ hook: @escaping @Sendable (SessionHooks, DownloadTask) -> Void,
        _ observer: @escaping @Sendable (any TaskObserver, DownloadTask) -> Void
    ) -> TaskEvent {
        TaskEvent({ if let task = $1 as? DownloadTask { hook($0, task) } }) { seer, task in
            if let task = task as? DownloadTask { observer(seer, task) }
        }
    }

    // MARK: The life of a task

    static func requestCreated(_ request: Request) -> TaskEvent {
        TaskEvent({ $0.requestCreated?($1, request) }, { $0.requestCreated($1, request) })
    }

    static func requestAdapted(_ received: Request, _ adapted: Request) -> TaskEvent {
        TaskEvent({ $0.requestAdapted?($1, received, adapted) }, { $0.requestAdapted($1, received, adapted) })
    }

    static func adaptationFailed(_ request: Request, _ error: SternaError) -> TaskEvent {
        TaskEvent({ $0.adaptationFailed?($1, request, error) }, { $0.adaptationFailed($1, request, error) })
    }

    static var taskCreated: TaskEvent { TaskEvent({ $0.taskCreated?($1) }, { $0.taskCreated($1) }) }

    static var taskResumed: TaskEvent { TaskEvent({ $0.taskResumed?($1) }, { $0.taskResumed($1) }) }

    static var taskSuspended: TaskEvent { TaskEvent({ $0.taskSuspended?($1) }, { $0.taskSuspended($1) }) }

    static var taskCancelled: TaskEvent { TaskEvent({ $0.taskCancelled?($1) }, { $0.taskCancelled($1) }) }

    static func taskRetried(_ request: Request, _ attempts: Int) -> TaskEvent {
        TaskEvent({ $0.taskRetried?($1, request, attempts) }, { $0.taskRetried($1, request, attempts) })
    }

    static func metricsCollected(_ metrics: RequestMetrics) -> TaskEvent {
        TaskEvent({ $0.metricsCollected?($1, metrics) }, { $0.metricsCollected($1, metrics) })
    }

    static func taskCompleted(_ error: SternaError?) -> TaskEvent {
        TaskEvent({ $0.taskCompleted?($1, error) }, { $0.taskCompleted($1, error) })
    }

    // MARK: Requests and bodies

    static func redirectDecided(_ response: Response, _ decision: RedirectDecision) -> TaskEvent {
        TaskEvent({ $0.redirectDecided?($1, response, decision) }, { $0.redirectDecided($1, response, decision) })
    }

    static func newBodyNeeded(_ request: Request, _ body: Body?) -> TaskEvent {
        TaskEvent(nil) { $0.newBodyNeeded($1, request, body) }
    }

    static func challengeReceived(
        _ challenge: CredentialChallenge, _ disposition: ChallengeDisposition
    ) -> TaskEvent {
        TaskEvent(nil) { $0.challengeReceived($1, challenge, disposition) }
    }

    static func bodyDataSent(_ progress: TransferProgress) -> TaskEvent {
        TaskEvent({ $0.bodyDataSent?($1, progress) }, { $0.bodyDataSent($1, progress) })
    }

    static func responseReceived(_ response: Response, _ disposition: ResponseDisposition) -> TaskEvent {
        TaskEvent(nil) { $0.responseReceived($1, response, disposition) }
    }

    static func responseValidated(_ response: Response, _ error: SternaError?) -> TaskEvent {
        TaskEvent({ $0.responseValidated?($1, response, error) }, { $0.responseValidated($1, response, error) })
    }

    static func valueParsed(_ result: Result<any Sendable, SternaError>) -> TaskEvent {
        TaskEvent({ $0.valueParsed?($1, result) }, { $0.valueParsed($1, result) })
    }

    static func dataReceived(_ piece: Bytes) -> TaskEvent { TaskEvent(nil) { $0.dataReceived($1, piece) } }

    // MARK: Downloads

    static func becameDownload(_ download: DownloadTask) -> TaskEvent {
        TaskEvent({ $0.becameDownload?($1, download) }, { $0.becameDownload($1, download) })
    }

    static func bytesWritten(_ progress: TransferProgress) -> TaskEvent {
        download({ $0.bytesWritten?($1, progress) }, { $0.bytesWritten($1, progress) })
    }

    static func downloadResumed(_ offset: Int64, _ length: Int64?) -> TaskEvent {
        download({ $0.downloadResumed?($1, offset, length) }, { $0.downloadResumed($1, offset, length) })
    }

    static func destinationChosen(_ path: String) -> TaskEvent {
        download({ $0.destinationChosen?($1, path) }, { $0.destinationChosen($1, path) })
    }

    static func downloadNotMoved(_ path: String, _ error: SternaError) -> TaskEvent {
        download({ $0.downloadNotMoved?($1, path, error) }, { $0.downloadNotMoved($1, path, error) })
    }

    static func downloadFinished(_ path: String) -> TaskEvent {
        download({ $0.downloadFinished?($1, path) }, { $0.downloadFinished($1, path) })
    }
}
