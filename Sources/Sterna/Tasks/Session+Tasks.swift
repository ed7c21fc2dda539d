import SternaCore

/// Tasks: calls that run in Swift tasks of their own.
extension Session {
    /// Makes a task that sends a draft's request and collects the response in memory.
    ///
    /// A request that cannot be built (a bad URL, parameters that cannot be encoded) makes a task that fails once it is resumed.
    public func dataTask(_ draft: RequestDraft) -> DataTask {
        let draft = ofTask(draft)
        let task = DataTask(self, draft, prepared(draft), callbackQueue: nil)
        task.enroll()
        return task
    }

    /// Makes a task that sends a draft's body and collects the response in memory.
    ///
    ///     let task = api.uploadTask(.upload(file: "movie.mp4", to: "movies"))
    ///     for await step in task.progress { print(step) }
    public func uploadTask(_ draft: RequestDraft) -> UploadTask {
        let draft = ofTask(draft)
        let task = UploadTask(self, draft, prepared(draft), callbackQueue: nil)
        task.enroll()
        return task
    }

    /// Makes a task whose response is read while it arrives.
    public func streamTask(_ draft: RequestDraft) -> DataStreamTask {
        let draft = ofTask(draft)
        let task = DataStreamTask(self, draft, prepared(draft), callbackQueue: nil)
        task.enroll()
        return task
    }

    func ofTask(_ draft: RequestDraft) -> RequestDraft {
        var draft = draft
        draft.isOfTask = true
        return draft
    }

    func prepared(_ draft: RequestDraft) -> Result<Request, SternaError> {
        do {
            return .success(try plan.request(for: draft))
        } catch {
            return .failure(SternaError.wrap(error, as: .invalidRequest, phase: .prepare, "\(error)"))
        }
    }

    // MARK: All tasks

    /// The unfinished tasks of this session and of those derived from it, in the order of their creation.
    public var tasks: [SessionTask] {
        // The register keeps a task until its last callback has run, and that callback may read this list.
        plan.scope.register.tasks(of: plan.scope).filter { !$0.isFinished }
    }

    /// The unfinished tasks that collect a response in memory, uploads excepted.
    public var dataTasks: [DataTask] { tasks.compactMap { $0 is UploadTask ? nil : $0 as? DataTask } }

    /// The unfinished uploads.
    public var uploadTasks: [UploadTask] { tasks.compactMap { $0 as? UploadTask } }

    /// The unfinished tasks whose responses are read while they arrive.
    public var streamTasks: [DataStreamTask] { tasks.compactMap { $0 as? DataStreamTask } }

    /// Returns the unfinished task with an identifier; nil if there is none.
    public func task(id: UInt64) -> SessionTask? { tasks.first { $0.id == id } }

    /// Cancels all tasks of this session and of those derived from it, and returns when they are complete.
    ///
    /// The calls of verbs are cancelled, too: an attempt or body under way fails with `cancelled`, and no further attempt begins.
    /// This method does not wait for them. A request that a transport of the session's own (``SessionSettings/Network/transport``)
    /// is sending is not interrupted.
    /// - Parameter silently: whether to suppress all further callbacks, decisions and events of the tasks; no by default.
    public func cancelAllTasks(silently: Bool = false) async {
        for task in tasks { task.cancel(silently: silently) }
        cancelCalls()
        let wait = Wait<Void>()
        plan.scope.register.whenEmpty(plan.scope) { wait.end() }
        // Cancellation does not end the wait: callers rely on all tasks being complete.
        try? await wait.valueIgnoringCancellation()
    }

    /// Suspends all running tasks of this session and of those derived from it.
    public func suspendAllTasks() {
        for task in tasks { task.suspend() }
    }

    /// Resumes all suspended tasks of this session and of those derived from it.
    public func resumeAllTasks() {
        for task in tasks { task.resume() }
    }

    // MARK: The end of a session

    /// Invalidates the session, and those derived from it: their tasks and the calls of their verbs are cancelled, and further
    /// requests fail with `shutDown`.
    ///
    /// Sessions that this one was derived from are not affected. ``Session/shared`` cannot be invalidated; its tasks and calls are
    /// cancelled.
    public func invalidateAndCancel() {
        invalidate()
        for task in tasks { task.cancel() }
        cancelCalls()
    }

    // The scope includes the calls of tasks, which are cancelled already.
    private func cancelCalls() {
        plan.scope.calls.cancel()
        for engine in plan.scope.register.engines { engine.endCancelledCalls() }
    }

    /// Invalidates the session, and those derived from it: their tasks and calls run to their ends, and further requests fail
    /// with `shutDown`.
    ///
    /// The event ``SternaCore/SternaEvent/Kind/sessionInvalidated`` follows the end of the last task.
    public func finishTasksAndInvalidate() { invalidate() }

    private func invalidate() {
        guard plan.scope.close() else { return }
        plan.scope.register.whenEmpty(plan.scope, forCallbacks: true) { [plan, eventSource] in
            guard eventSource.wants(.tasks) else { return }
            eventSource.post(SternaEvent(.sessionInvalidated, owner: plan))
        }
    }

    /// Returns a session with the same settings that can be used again after this one was invalidated; AFNetworking's
    /// `resetSession`.
    public func resetSession() -> Session {
        Session(plan: SessionPlan(base: plan.base, settings: plan.settings))
    }
}
