public import SternaCore
import Synchronization

#if Foundation
public import Foundation
#endif

/// A handle on a call that runs in a Swift task of its own: it can be observed, suspended, resumed and cancelled.
///
/// A session makes tasks of several kinds: ``DataTask``, ``UploadTask``, ``DownloadTask`` and ``DataStreamTask``. A task starts at
/// once, unless ``SessionSettings/Tasks/startsImmediately`` is off; then ``resume()`` starts it. Releasing the handle of a running
/// task does not cancel it.
// Invariant: every stored property, of the subclasses too, is an immutable value of a Sendable type.
public class SessionTask: Identifiable, @unchecked Sendable {
    /// A number that is unique within this process; the same as that of the task's ``SternaCore/Call`` in metrics and events,
    /// except for a download by ``ResponseDisposition/becomeDownload(to:)``.
    public let id: UInt64

    let session: Session
    let draft: RequestDraft
    let gate = TaskGate()
    let callbackQueue: UserCallbackQueue?
    let reports: TaskReports
    let decider: TaskDecider?
    let events: TaskEvents?

    let prepared: Result<Request, SternaError>
    private let stored = Mutex(State())

    // Orders the effects of `suspend` and `resume` as their state changes.
    private let transitions = Mutex(())

    private struct State {
        var lifecycle = TaskLifecycle() {
            didSet { if lifecycle.state != oldValue.state { states?.report(lifecycle.state) } }
        }
        /// Delivers states to readers of ``states``; nil until the first reader.
        var states: UpdateChannel<TaskState>?
        var work: Task<Void, Never>?
        var isSilent = false
        var isHandedOver = false
        var description: String?
        var tag = 0
        var userInfo: [String: any Sendable] = [:]
        var response: Response?
        var error: SternaError?
        var summary: TaskSummary?
        var group: GroupMembership?
        var link: TransferLink?
        var isCounted = false
    }

    /// - Parameter sharesCall: whether another task has the call's number.
    init(
        _ session: Session, _ draft: RequestDraft, _ prepared: Result<Request, SternaError>,
        callbackQueue: UserCallbackQueue?, sharesCall: Bool = false
    ) {
        let request = try? prepared.get()
        let call = request?.call
        // The call's time limits do not run before the task is resumed.
        call?.pause()
        id = sharesCall ? Call.newNumber() : call?.id ?? Call.newNumber()
        let decider = TaskDecider(session.plan.settings, callbackQueue)
        let callbackQueue = callbackQueue ?? decider?.callbackQueue
        self.session = session
        self.draft = draft
        self.prepared = prepared
        self.callbackQueue = callbackQueue
        reports = TaskReports(callbackQueue: callbackQueue, traffic: session.traffic)
        self.decider = decider
        events = TaskEvents(session, request, id: id)
    }

    deinit {
        // A task that was never resumed ends here.
        session.plan.scope.register.remove(id)
        reports.end(succeeded: false)
    }

    /// Enters the task into the session's register, and starts it if the session starts its tasks.
    ///
    /// - Parameters:
    ///   - progress: called with the progress of both directions.
    ///   - startsAtOnce: whether to start the task; nil follows ``SessionSettings/Tasks/startsImmediately``.
    func enroll(reportingTo progress: (@Sendable (RequestProgress) -> Void)? = nil, startsAtOnce: Bool? = nil) {
        reports.connect(progress)
        let group = GroupMembership(draft.settings, of: session.plan.settings)
        if let group { stored.withLock { $0.group = group } }
        session.plan.scope.register.add(self)
        post(.taskCreated(originalRequest))
        if startsAtOnce ?? session.plan.settings.tasks.startsImmediately { resume() }
    }

    // MARK: Properties

    /// The request as the session built it; nil if it could not be built.
    public var originalRequest: Request? { try? prepared.get() }

    /// The request that was sent last: after redirects and interceptors. Nil before the first.
    public var currentRequest: Request? { originalRequest?.call?.requests.last }

    /// The requests of all attempts so far, in order.
    public var requests: [Request] { originalRequest?.call?.requests ?? [] }

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
    /// A change moves a waiting request in the queue, and applies to redirects and further attempts, even if interceptors set
    /// another priority. A request that has a connection is not affected.
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

    /// The progress of the request's body; the sequence ends with the task.
    public var uploadProgress: Updates<TransferProgress> { Updates(reports.upload) }

    /// The progress of the response's body; the sequence ends with the task.
    public var downloadProgress: Updates<TransferProgress> { Updates(reports.download) }

    /// The progress of the task's main direction: the response's body, or for an ``UploadTask`` the request's.
    public var progress: Updates<TransferProgress> { downloadProgress }

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

    /// The current state.
    public var state: TaskState { stored.withLock { $0.lifecycle.state } }

    /// The current state, and a sequence that begins with it and ends after ``TaskState/completed``.
    ///
    ///     for await state in task.states { spinner.isSpinning = state == .running }
    public var states: Updates<TaskState> {
        let channel = stored.withLock { state in
            let channel = state.states ?? UpdateChannel(state.lifecycle.state)
            state.states = channel
            return channel
        }
        return Updates(channel, startsAtOnce: true, until: { $0 == .completed })
    }

    /// Whether the task is complete; its last callback may still be pending.
    public var isFinished: Bool { state == .completed }

    /// Starts the task, or continues a suspended one; has no effect on any other.
    public func resume() {
        transitions.withLock { _ in
            let effect = stored.withLock { $0.isHandedOver ? .nothing : $0.lifecycle.resume() }
            guard effect != .nothing else { return }
            post(.taskResumed)
            originalRequest?.call?.resume()
            count(runs: true)
            if effect == .begin { begin() } else { gate.open() }
        }
    }

    /// Suspends a running task; has no effect on any other. Calls are not counted: one ``resume()`` continues.
    ///
    /// A suspended task reads no more of a response's body and of its request's source, so that back-pressure reaches the peer. Its
    /// time limits are paused. A task that is suspended before it began holds no connection. A task that can continue with a new
    /// request, without a visible effect, gives up its connection when another request waits for one: a download with a validator,
    /// and a ``DataTask`` with a GET request in a session without interceptors, decisions, observers and metrics.
    public func suspend() {
        transitions.withLock { _ in
            guard stored.withLock({ $0.isHandedOver ? .nothing : $0.lifecycle.suspend() }) == .pause else { return }
            gate.close()
            count(runs: false)
            originalRequest?.call?.pause()
            post(.taskSuspended)
        }
    }

    /// Cancels the task: it completes with an error of kind `cancelled`, unless it is complete.
    ///
    /// - Parameter silently: whether to suppress all further callbacks, decisions and events; no by default.
    public func cancel(silently: Bool = false) {
        let (effect, work) = stored.withLock { state in
            let effect = state.lifecycle.cancel()
            if effect != .nothing { state.isSilent = silently }
            return (effect, state.work)
        }
        guard effect != .nothing else { return }
        if silently { reports.silence() }
        post(.taskCancelled)
        if effect == .complete { return end(with: .cancelled(phase: .prepare)) }
        originalRequest?.call?.cancel()
        work?.cancel()
        // A reader that waits at the gate finds the body cancelled.
        gate.unlock()
    }

    // MARK: Work

    /// Lets the suspended task give up its connections while its gate allows it.
    func offersConnections() {
        guard let call = originalRequest?.call else { return }
        call.setRelease(ConnectionRelease { [gate] in gate.release() })
    }

    /// Binds a task that has not begun to a queue of transfers; returns false if it has begun, or belongs to one.
    package func join(_ link: TransferLink) -> Bool {
        stored.withLock { state in
            guard !state.lifecycle.hasBegun, state.lifecycle.state == .suspended, state.link == nil else {
                return false
            }
            state.link = link
            return true
        }
    }

    /// The link to the queue of transfers that the task belongs to; nil for none.
    var transferLink: TransferLink? { stored.withLock { $0.link } }

    /// Whether the task counts as a transfer: background transfers yield to those in the foreground.
    var isTransfer: Bool { false }

    /// Returns a task of the same kind for another request; nil if the task cannot be copied.
    func copy(_ prepared: Result<Request, SternaError>) -> SessionTask? { nil }

    /// Records that the task runs as a transfer, or no longer runs.
    private func count(runs: Bool) {
        let isBackground: Bool? = stored.withLock { state in
            let isBackground = state.link?.isBackground ?? session.isInBackground
            // Any task can be in the background of a queue.
            guard isTransfer || isBackground, state.isCounted != runs else { return nil }
            state.isCounted = runs
            return isBackground
        }
        if let isBackground { session.countTransfer(runs: runs, isBackground: isBackground) }
    }

    /// Leaves the call to another task, so that suspending this one has no effect on it; returns whether this one was suspended.
    func handOver() -> Bool {
        transitions.withLock { _ in
            let isSuspended = stored.withLock { state in
                state.isHandedOver = true
                return state.lifecycle.state == .suspended
            }
            if isSuspended { originalRequest?.call?.resume() }
            return isSuspended
        }
    }

    private func begin() {
        // A queue begins its tasks where another one ends: detached, so that they run without that one's task-local values.
        let work = transferLink == nil ? Task { await self.run() } : Task.detached { await self.run() }
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
    /// - Parameters:
    ///   - summary: the values for the completion notification; made only if notifications are posted.
    ///   - last: the task's completion callback, which runs in the callback queue after all other callbacks.
    @discardableResult
    func complete(
        _ error: SternaError?, _ summary: @autoclosure () -> TaskSummary = TaskSummary(),
        last: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        let summary = session.plan.settings.events.notifications.isOn ? summary() : nil
        let (isFirst, isSilent, group) = stored.withLock { state in
            guard state.lifecycle.complete() else { return (false, false, GroupMembership?.none) }
            state.error = error
            state.summary = summary
            // The head was recorded below the redirects, so only the error's response lists all of them.
            if let answered = error?.response { state.response = answered }
            state.work = nil
            return (true, state.isSilent, state.group.take())
        }
        guard isFirst else { return false }
        count(runs: false)
        gate.unlock()
        reports.end(succeeded: error == nil)
        let over: @Sendable () -> Void = {
            self.post(.taskCompleted(error))
            if isSilent { self.events?.source.endedSilently(self.id) }
            if let group { self.afterEvents { group.leave() } }
            self.session.plan.scope.register.remove(self.id)
        }
        if let callbackQueue {
            callbackQueue.end {
                if !isSilent {
                    // A report may be decided on but not yet posted; its callback still comes before this one.
                    self.reports.deliver()
                    last()
                }
                over()
            }
        } else {
            reports.deliver()
            over()
        }
        session.plan.scope.register.complete(id)
        return true
    }

    /// The values for the completion notification; nil if none is posted.
    var summary: TaskSummary? { stored.withLock { $0.summary } }

    /// Whether further callbacks, decisions and events are suppressed.
    var isSilent: Bool { stored.withLock { $0.isSilent } }
}
