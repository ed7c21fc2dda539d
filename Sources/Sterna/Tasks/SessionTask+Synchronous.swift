import Dispatch
import SternaCore

/// Blocking waits for tasks, for scripts that do not use `await`.
extension DataTask {
    /// Starts the task, unless it runs, blocks the thread until the task is complete, and returns its value or throws its error.
    ///
    ///     let report = try api.dataTask(.get("reports/7")).startSynchronous().json()
    ///
    /// The main thread may block, and so may threads of the program's own. Throws `invalidRequest`, and leaves the task as it is,
    /// on an event loop, in a Swift task off the main thread, and on the main thread if the session's callbacks run on the main
    /// queue and the task waits for one of them (``TaskDecisions/redirect``, ``TaskDecisions/needNewBody``,
    /// ``TaskDecisions/challengeReceived``, ``TaskDecisions/responseReceived``, ``TaskDecisions/dataReceived``). Other callbacks
    /// run later.
    @available(*, noasync, message: "Await the task's value instead.")
    @discardableResult
    public func startSynchronous() throws -> Reply { try blockUntilComplete(outcome) }
}

extension DownloadTask {
    /// Starts the task, unless it runs, blocks the thread until the file is complete, and returns it or throws the task's error.
    ///
    /// For where it may be called, see ``DataTask/startSynchronous()``.
    @available(*, noasync, message: "Await the task's value instead.")
    @discardableResult
    public func startSynchronous() throws -> DownloadedFile { try blockUntilComplete(outcome) }
}

extension SessionTask {
    func blockUntilComplete<Value: Sendable>(_ outcome: TaskOutcome<Value>) throws(SternaError) -> Value {
        if let refusal = refusal(ofBlocking: "startSynchronous()") { throw refusal }
        resume()
        let done = DispatchSemaphore(value: 0)
        outcome.whenSet { done.signal() }
        done.wait()
        // A result is never taken back.
        guard let result = outcome.result else { throw .cancelled(phase: .wait) }
        return try result.get()
    }

    /// Returns why the current thread may not block for this task; nil if it may.
    func refusal(ofBlocking call: String) -> SternaError? {
        var rule = BlockingRule.here()
        rule.waitsForMain = (decider?.decides ?? false) && BlockingRule.isMain(session.plan.settings.callbacks)
        return rule.refusal(of: call)
    }
}
