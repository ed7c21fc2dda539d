import SternaCore
import Synchronization

/// The hooks and observers of one task, and the mailbox that they run in.
final class TaskEvents: Sendable {
    let hooks: SessionHooks
    let observers: [any TaskObserver]
    let mailbox: TaskMailbox

    // Apart from the observers: a body's pieces and progress do not concern it.
    private let poster: (any TaskObserver)?

    /// What the application interceptors do with a request; nil unless they have one.
    struct Adaptation: Sendable {
        let entered: Request
        var hasPassed = false
    }

    let adaptation = Mutex<Adaptation?>(nil)

    /// Makes the events of a task; nil without hooks and observers.
    ///
    /// - Parameter mailbox: the mailbox of the task's callbacks; nil to make one.
    init?(_ settings: SessionSettings, _ mailbox: TaskMailbox?) {
        guard settings.hasTaskEvents else { return nil }
        hooks = settings.hooks ?? SessionHooks()
        observers = settings.taskObservers
        poster = settings.notifications.poster
        self.mailbox = mailbox ?? TaskMailbox(settings.callbacks)
    }

    /// Calls the hook of an event, then the observers in their order, and posts its notification. Runs in the mailbox.
    func tell(_ event: TaskEvent, of task: SessionTask) {
        event.hook?(hooks, task)
        for observer in observers { event.observer(observer, task) }
        if let poster { event.observer(poster, task) }
    }

    /// Asks the hook for a response's disposition, and throws `cancelled` if it cancels. Returns the destination if the response is to
    /// become a download.
    func admit(_ response: Response, of task: SessionTask) async throws(SternaError) -> DownloadDestination? {
        guard let hook = hooks.responseReceived else {
            task.post(.responseReceived(response, .allow))
            return nil
        }
        let disposition: ResponseDisposition? = await mailbox.ask {
            guard !task.isSilent else { return .cancel }
            let disposition = await hook(task, response)
            self.tell(.responseReceived(response, disposition), of: task)
            return disposition
        }
        if disposition == nil, Task.isCancelled { throw .cancelled(phase: .read) }
        switch disposition {
        case nil, .allow?: return nil
        case .becomeDownload(let destination)?: return task is DownloadTask ? nil : destination
        case .cancel?: throw SternaError(.cancelled, phase: .read, "The hook responseReceived cancelled the task.")
        }
    }

    /// Whether a hook or observer receives the pieces of a body.
    var receivesData: Bool { hooks.dataReceived != nil || !observers.isEmpty }

    /// Hands a piece of a body to the hook and the observers, and waits until they have returned.
    func deliver(_ piece: Bytes, of task: SessionTask) async {
        guard receivesData else { return }
        await mailbox.ask {
            guard !task.isSilent else { return }
            await self.hooks.dataReceived?(task, piece)
            self.tell(.dataReceived(piece), of: task)
        }
    }
}

extension SessionSettings {
    /// Whether tasks have hooks or observers, or post notifications.
    var hasTaskEvents: Bool { hooks != nil || !taskObservers.isEmpty || notifications.poster != nil }
}

extension SessionTask {
    /// Calls the hook and the observers of an event in the mailbox, unless the task is silent by then.
    func post(_ event: @autoclosure () -> TaskEvent) {
        guard let events else { return }
        let event = event()
        events.mailbox.post {
            if !self.isSilent { events.tell(event, of: self) }
        }
    }
}
