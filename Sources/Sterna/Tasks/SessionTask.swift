public import SternaCore
import Synchronization

#if Foundation
public import Foundation
#endif

/// A handle on a call that runs in a Swift task of its own: it can be observed, suspended, resumed and cancelled.
///
/// A session makes tasks of several kinds: ``DataTask``, ``UploadTask``, ``DownloadTask`` and ``DataStreamTask``. A task starts at
/// once, unless ``SessionSettings/startsTasks`` is off; then ``resume()`` starts it. Releasing the handle of a running task does not
/// cancel it.
// Invariant: every stored property, of the subclasses too, is an immutable value of a Sendable type.
public class SessionTask: Identifiable, @unchecked Sendable {
    /// A number that is unique within this process; the same as that of the task's ``SternaCore/Call`` in metrics and events.
    public let id: UInt64

    let session: Session
    let draft: RequestDraft
    let gate = TaskGate()
    let mailbox: TaskMailbox?
    let reports: TaskReports
    let events: TaskEvents?

    private let prepared: Result<Request, SternaError>
    private let stored = Mutex(State())

    // Orders the effects of `suspend` and `resume` as their state changes.
    private let transitions = Mutex(())

    private struct State {
        var lifecycle = TaskLifecycle()
        var work: Task<Void, Never>?
        var isSilent = false
        var description: String?
        var tag = 0
        var userInfo: [String: any Sendable] = [:]
        var response: Response?
        var error: SternaError?
    }

    init(
        _ session: Session, _ draft: RequestDraft, _ prepared: Result<Request, SternaError>, mailbox: TaskMailbox?
    ) {
        let call = (try? prepared.get())?.call
        // Time does not run before the task is resumed.
        call?.pause()
        id = call?.id ?? Call.newNumber()
        let hooks = session.plan.settings.hooks
        let mailbox = mailbox ?? (hooks == nil ? nil : TaskMailbox(session.plan.settings.callbacks))
        self.session = session
        self.draft = draft
        self.prepared = prepared
        self.mailbox = mailbox
        reports = TaskReports(mailbox: mailbox)
        events = hooks.flatMap { hooks in mailbox.map { TaskEvents(hooks: hooks, mailbox: $0) } }
    }

    deinit {
        // A task that was never resumed ends here.
        session.plan.scope.register.remove(id)
        reports.end()
    }

    /// The task's hooks for progress.
    var progressHooks: TaskReports.Receivers {
        guard let hook = events?.hooks.bodyDataSent else { return TaskReports.Receivers() }
        return TaskReports.Receivers(upload: { [weak self] progress in if let self { hook(self, progress) } })
    }

    /// Enters the task into the session's register, and starts it if the session starts its tasks.
    ///
    /// - Parameter progress: called with the progress of both directions.
    func enroll(reportingTo progress: (@Sendable (RequestProgress) -> Void)? = nil) {
        var receivers = progressHooks
        receivers.both = progress
        reports.connect(receivers)
        session.plan.scope.register.add(self)
        if let request = originalRequest { post { $0.requestCreated?($1, request) } }
        post { $0.taskCreated?($1) }
        if session.plan.settings.startsTasks { resume() }
    }

    // MARK: What it is

    /// The request as the session built it; nil if it could not be built.
    public var originalRequest: Request? { try? prepared.get() }

    /// The request that was sent last: after redirects and interceptors. Nil before the first.
    public var currentRequest: Request? { originalRequest?.call?.log?.requests.last }

    /// The requests of all attempts so far, in order.
    public var requests: [Request] { originalRequest?.call?.log?.requests ?? [] }

    /// The response; nil before its head has arrived.
    public var response: Response? { stored.withLock { $0.response } }

    /// The error that the task completed with; nil before, or if it succeeded.
    public var error: SternaError? { stored.withLock { $0.error } }

    /// The redirects that were followed, in order.
    public var redirects: [RedirectStep] { response?.redirects ?? error?.redirects ?? [] }

    /// The metrics so far; nil if the session does not collect metrics.
    public var metrics: RequestMetrics? { originalRequest?.recorder?.snapshot }

    /// A description for the program's own use.
    public var taskDescription: String? {
        get { stored.withLock { $0.description } }
        set { stored.withLock { $0.description = newValue } }
    }

    /// A number for the program's own use; 0 by default.
    public var tag: Int {
        get { stored.withLock { $0.tag } }
        set { stored.withLock { $0.tag = newValue } }
    }

    /// Values for the program's own use.
    public var userInfo: [String: any Sendable] {
        get { stored.withLock { $0.userInfo } }
        set { stored.withLock { $0.userInfo = newValue } }
    }

    /// The priority among requests that wait for a connection to the same origin; that of the request by default.
    ///
    /// A change moves a request that waits, and counts for redirects and further attempts, whatever priority interceptors give
    /// them. A request that has a connection is not affected.
    public var priority: Request.Priority {
        get {
            let request = originalRequest
            return request?.call?.priority ?? request?.priority ?? draft.settings.priority
        }
        set { originalRequest?.call?.priority = newValue }
    }

    /// The request that was sent last as a command line for curl, with credentials shown as `***`; nil before it was sent.
    public var curl: String? { currentRequest.map { CurlCommand($0, showsSecrets: false).text } }

    // MARK: Progress

    /// The progress of the request's body.
    public var uploadProgress: ProgressUpdates { ProgressUpdates(channel: reports.upload) }

    /// The progress of the response's body.
    public var downloadProgress: ProgressUpdates { ProgressUpdates(channel: reports.download) }

    /// The progress of the direction that the task is about: the response's body, for an ``UploadTask`` the request's.
    public var progress: ProgressUpdates { downloadProgress }

    #if Foundation
    /// The upload progress as Foundation's type; cancelling, pausing and resuming it does the same to the task.
    public var uploadProgressObject: Progress { object(ofUpload: true) }

    /// The download progress as Foundation's type; cancelling, pausing and resuming it does the same to the task.
    public var downloadProgressObject: Progress { object(ofUpload: false) }

    private func object(ofUpload: Bool) -> Progress {
        reports.object(ofUpload: ofUpload) {
            let object = Progress.discreteProgress(totalUnitCount: -1)
            object.isCancellable = true
            object.isPausable = true
            object.cancellationHandler = { [weak self] in self?.cancel() }
            object.pausingHandler = { [weak self] in self?.suspend() }
            object.resumingHandler = { [weak self] in self?.resume() }
            return object
        }
    }
    #endif

    // MARK: State

    /// The present state.
    public var state: TaskState { stored.withLock { $0.lifecycle.state } }

    /// Whether the task is complete; its last callback may still be pending.
    public var isFinished: Bool { state == .completed }

    /// Starts the task, or continues a suspended one; has no effect on any other.
    public func resume() {
        transitions.withLock { _ in
            let effect = stored.withLock { $0.lifecycle.resume() }
            guard effect != .nothing else { return }
            post { $0.taskResumed?($1) }
            originalRequest?.call?.resume()
            if effect == .begin { begin() } else { gate.open() }
        }
    }

    /// Suspends a running task; has no effect on any other. Calls are not counted: one ``resume()`` continues.
    ///
    /// A suspended task reads no more of a response's body and of its request's source, so that back-pressure reaches the peer. Its
    /// time limits stand still. A task that is suspended before it began holds no connection.
    public func suspend() {
        transitions.withLock { _ in
            guard stored.withLock({ $0.lifecycle.suspend() }) == .pause else { return }
            originalRequest?.call?.pause()
            gate.close()
            post { $0.taskSuspended?($1) }
        }
    }

    /// Cancels the task: it completes with an error of kind `cancelled`, unless it is complete.
    ///
    /// - Parameter silently: whether callbacks and hooks are called no more.
    public func cancel(silently: Bool = false) {
        let (effect, work) = stored.withLock { state in
            let effect = state.lifecycle.cancel()
            if effect != .nothing { state.isSilent = silently }
            return (effect, state.work)
        }
        guard effect != .nothing else { return }
        if silently { reports.silence() }
        post { $0.taskCancelled?($1) }
        if effect == .complete { return end(with: .cancelled(phase: .prepare)) }
        originalRequest?.call?.cancel()
        work?.cancel()
        // A reader that waits at the gate finds the body cancelled.
        gate.unlock()
    }

    // MARK: Work

    private func begin() {
        let work = Task { await self.run() }
        let isCancelled = stored.withLock { state in
            state.work = work
            return state.lifecycle.state == .cancelling
        }
        if isCancelled { work.cancel() }
    }

    private func run() async {
        switch prepared {
        case .failure(let error): end(with: error)
        case .success(let request): await perform(request)
        }
    }

    /// Performs the call, and completes the task.
    func perform(_ request: Request) async {}

    /// Completes the task with an error.
    func end(with error: SternaError) {}

    /// Records the response's head.
    func received(_ response: Response) { stored.withLock { $0.response = response } }

    /// Completes the task; returns whether it was not complete before.
    ///
    /// - Parameter last: the task's completion callback, which runs in the mailbox behind all other callbacks.
    @discardableResult
    func complete(_ error: SternaError?, _ last: @escaping @Sendable () -> Void) -> Bool {
        let (isFirst, isSilent) = stored.withLock { state in
            guard state.lifecycle.complete() else { return (false, false) }
            state.error = error
            if state.response == nil { state.response = error?.response }
            state.work = nil
            return (true, state.isSilent)
        }
        guard isFirst else { return false }
        gate.unlock()
        reports.end()
        if let metrics { post { $0.metricsCollected?($1, metrics) } }
        mailbox?.end {
            guard !isSilent else { return }
            // A report may be decided on but not yet posted; its callback still comes before this one.
            self.reports.deliver()
            last()
            self.events?.hooks.taskCompleted?(self, error)
        }
        session.plan.scope.register.remove(id)
        return true
    }

    var isSilent: Bool { stored.withLock { $0.isSilent } }

    /// Calls a hook in the mailbox, unless the task is silent by then.
    func post(_ call: @escaping @Sendable (SessionHooks, SessionTask) -> Void) {
        guard let events else { return }
        events.mailbox.post {
            if !self.isSilent { call(events.hooks, self) }
        }
    }
}
