import SternaCore

/// The closures that decide for one task, and the callback queue that they run in.
final class TaskDecider: Sendable {
    let decisions: TaskDecisions
    let callbackQueue: UserCallbackQueue

    /// Makes the decider of a task; nil without closures.
    ///
    /// - Parameter callbackQueue: the queue of the task's callbacks; nil to make one.
    init?(_ settings: SessionSettings, _ callbackQueue: UserCallbackQueue?) {
        guard let decisions = settings.tasks.decisions else { return nil }
        self.decisions = decisions
        self.callbackQueue = callbackQueue ?? UserCallbackQueue(settings.callbacks)
    }

    /// Asks for a response's disposition, and throws `cancelled` if it cancels. Returns the destination if the response is to
    /// become a download.
    func admit(_ response: Response, of task: SessionTask) async throws(SternaError) -> DownloadDestination? {
        guard let decide = decisions.responseReceived else { return nil }
        let disposition: ResponseDisposition? = await callbackQueue.ask {
            guard !task.isSilent else { return .cancel }
            return await decide(task, response)
        }
        if disposition == nil, Task.isCancelled { throw .cancelled(phase: .read) }
        switch disposition {
        case nil, .allow?: return nil
        case .becomeDownload(let destination)?: return task is DownloadTask ? nil : destination
        case .cancel?: throw SternaError(.cancelled, phase: .read, "The closure responseReceived cancelled the task.")
        }
    }

    /// Whether the closure `dataReceived` is set.
    var takesData: Bool { decisions.dataReceived != nil }

    /// Whether the task waits for a closure.
    var decides: Bool {
        decisions.redirect != nil || decisions.needNewBody != nil || decisions.challengeReceived != nil
            || decisions.responseReceived != nil || takesData
    }

    /// Passes a piece of a body to the closure `dataReceived`, and waits until it returns.
    func deliver(_ piece: Bytes, of task: SessionTask) async {
        guard let take = decisions.dataReceived else { return }
        await callbackQueue.ask {
            if !task.isSilent { await take(task, piece) }
        }
    }
}
