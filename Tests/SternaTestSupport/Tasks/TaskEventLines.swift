import NIOCore
import Sterna
import SternaPlatform
import Synchronization

/// What was called, in order.
final class TaskEventLines: Sendable {
    private let all = Mutex<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func add(_ line: String) { all.withLock { $0.append(line) } }

    /// The lines without progress, which is coalesced.
    var steps: [String] { lines.filter { !$0.contains("bodyDataSent") && !$0.contains("bytesWritten") } }

    /// The lines that begin with one of these words.
    func lines(_ words: String...) -> [String] { lines.filter { line in words.contains { line.hasPrefix($0) } } }

    /// Waits until the last line is this one; returns whether it came.
    func ends(with line: String) async -> Bool { await eventually { lines.last == line } }

    func observer(_ name: String = "") -> LineObserver { LineObserver(to: self, as: name) }

    /// Closures for all events, which write what an observer would.
    func hooks(_ name: String = "") -> SessionHooks {
        let observer = observer(name)
        var hooks = SessionHooks()
        hooks.sessionInvalidated = { observer.add("sessionInvalidated") }
        hooks.requestCreated = { observer.requestCreated($0, $1) }
        hooks.requestAdapted = { observer.requestAdapted($0, $1, $2) }
        hooks.adaptationFailed = { observer.adaptationFailed($0, $1, $2) }
        hooks.taskCreated = { observer.taskCreated($0) }
        hooks.taskResumed = { observer.taskResumed($0) }
        hooks.taskSuspended = { observer.taskSuspended($0) }
        hooks.taskCancelled = { observer.taskCancelled($0) }
        hooks.retryScheduled = { observer.retryScheduled($0, $1, $2) }
        hooks.taskRetried = { observer.taskRetried($0, $1, $2) }
        hooks.metricsCollected = { observer.metricsCollected($0, $1) }
        hooks.taskCompleted = { observer.taskCompleted($0, $1) }
        hooks.redirectDecided = { observer.redirectDecided($0, $1, $2) }
        hooks.bodyDataSent = { observer.bodyDataSent($0, $1) }
        hooks.responseReceived = {
            observer.responseReceived($0, $1, .allow)
            return .allow
        }
        hooks.responseValidated = { observer.responseValidated($0, $1, $2) }
        hooks.valueParsed = { observer.valueParsed($0, $1) }
        hooks.dataReceived = { observer.dataReceived($0, $1) }
        hooks.becameDownload = { observer.becameDownload($0, $1) }
        hooks.bytesWritten = { observer.bytesWritten($0, $1) }
        hooks.downloadResumed = { observer.downloadResumed($0, $1, $2) }
        hooks.destinationChosen = { observer.destinationChosen($0, $1) }
        hooks.downloadFinished = { observer.downloadFinished($0, $1) }
        hooks.downloadNotMoved = { observer.downloadNotMoved($0, $1, $2) }
        return hooks
    }
}

/// Writes down all events of tasks.
final class LineObserver: TaskObserver {
    private let lines: TaskEventLines
    private let name: String

    init(to lines: TaskEventLines, as name: String) {
        self.lines = lines
        self.name = name.isEmpty ? "" : name + " "
    }

    func add(_ line: String) { lines.add(name + line) }

    private func end(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }

    private func kind(_ error: SternaError?) -> String { error.map { " \($0.kind)" } ?? "" }

    func sessionInvalidated(_ session: Session) { add("sessionInvalidated") }
    func requestCreated(_ task: SessionTask, _ request: Request) { add("requestCreated \(request.url.path)") }
    func requestAdapted(_ task: SessionTask, _ received: Request, _ adapted: Request) {
        add("requestAdapted \(received.headers[.userAgent] == "adapted") \(adapted.headers[.userAgent] == "adapted")")
    }
    func adaptationFailed(_ task: SessionTask, _ request: Request, _ error: SternaError) {
        add("adaptationFailed\(kind(error))")
    }
    func taskCreated(_ task: SessionTask) { add("taskCreated") }
    func taskResumed(_ task: SessionTask) { add("taskResumed") }
    func taskSuspended(_ task: SessionTask) { add("taskSuspended") }
    func taskCancelled(_ task: SessionTask) { add("taskCancelled") }
    func retryScheduled(_ task: SessionTask, _ request: Request, _ retry: ScheduledRetry) {
        add("retryScheduled \(request.url.path) \(retry.number): \(retry.reason)")
    }
    func taskRetried(_ task: SessionTask, _ request: Request, _ attempts: Int) {
        add("taskRetried \(request.url.path) \(attempts)")
    }
    func metricsCollected(_ task: SessionTask, _ metrics: RequestMetrics) {
        add("metricsCollected \(metrics.attempts.count)")
    }
    func taskCompleted(_ task: SessionTask, _ error: SternaError?) { add("taskCompleted\(kind(error))") }
    func redirectDecided(_ task: SessionTask, _ response: Response, _ decision: RedirectDecision) {
        let word =
            switch decision {
            case .follow(let request): "follow \(request.url.path)"
            case .deliver: "deliver"
            case .refuse: "refuse"
            }
        add("redirectDecided \(response.status.code) \(word)")
    }
    func newBodyNeeded(_ task: SessionTask, _ request: Request, _ body: Body?) {
        add("newBodyNeeded \(request.url.path) \(body != nil)")
    }
    func bodyDataSent(_ task: SessionTask, _ progress: TransferProgress) { add("bodyDataSent \(progress.completed)") }
    func responseReceived(_ task: SessionTask, _ response: Response, _ disposition: ResponseDisposition) {
        let word =
            switch disposition {
            case .allow: "allow"
            case .cancel: "cancel"
            case .becomeDownload: "becomeDownload"
            }
        add("responseReceived \(response.status.code) \(word)")
    }
    func responseValidated(_ task: SessionTask, _ response: Response, _ error: SternaError?) {
        add("responseValidated \(response.status.code)\(kind(error))")
    }
    func valueParsed(_ task: SessionTask, _ result: Result<any Sendable, SternaError>) {
        switch result {
        case .success(let value): add("valueParsed \((value as? Data)?.count ?? -1)")
        case .failure(let error): add("valueParsed\(kind(error))")
        }
    }
    func dataReceived(_ task: SessionTask, _ piece: Bytes) { add("dataReceived \(piece.readableBytes)") }
    func becameDownload(_ task: SessionTask, _ download: DownloadTask) { add("becameDownload \(download.state)") }
    func bytesWritten(_ task: DownloadTask, _ progress: TransferProgress) { add("bytesWritten \(progress.completed)") }
    func downloadResumed(_ task: DownloadTask, _ offset: Int64, _ length: Int64?) {
        add("downloadResumed \(offset) \(length ?? -1)")
    }
    func destinationChosen(_ task: DownloadTask, _ path: String) { add("destinationChosen \(end(path))") }
    func downloadFinished(_ task: DownloadTask, _ path: String) { add("downloadFinished \(end(path))") }
    func downloadNotMoved(_ task: DownloadTask, _ path: String, _ error: SternaError) {
        add("downloadNotMoved \(end(path))\(kind(error))")
    }
}
