import NIOCore
import SternaCore
import Synchronization

/// Posts the events of one task to the observers and readers of its session.
final class TaskEvents: Sendable {
    let source: EventSource
    private let call: ObservedCall?
    private let began: NIODeadline
    private let clock: NetworkClock

    /// The slots of progress events, of which only the newest is delivered.
    let (sent, written) = (EventSlot(), EventSlot())

    /// A request that the application interceptors are processing.
    struct Adaptation: Sendable {
        let entered: Request
        var hasPassed = false
    }

    let adaptation = Mutex<Adaptation?>(nil)

    /// Creates the events of a task; nil if task events are not observed.
    init?(_ session: Session, _ request: Request?, id: UInt64) {
        let source = session.eventSource
        let context = source.context(for: .tasks)
        guard context != nil || source.wants(.tasks) else { return nil }
        self.source = source
        clock = session.loopClock.clock
        call = request.map { ObservedCall(id: id, $0, context: context) }
        began = request?.recorder?.began ?? clock.now
    }

    func post(_ kind: SternaEvent.Kind, of task: SessionTask, in slot: EventSlot? = nil) {
        let time = Duration.nanoseconds(max(0, (clock.now - began).nanoseconds))
        source.post(
            SternaEvent(kind, call: call, attempt: task.originalRequest?.call?.attempts ?? 0, time: time, owner: task),
            in: slot)
    }
}

extension SessionTask {
    /// Posts an event, unless task events are not observed or the task is silent.
    func post(_ kind: @autoclosure () -> SternaEvent.Kind) {
        guard let events, !isSilent else { return }
        events.post(kind(), of: self)
    }

    /// Posts the progress of the request's body.
    func postSent(_ progress: TransferProgress) {
        guard let events, !isSilent else { return }
        events.post(.bodyDataSent(progress), of: self, in: events.sent)
    }

    /// Posts the progress of a download's file.
    func postWritten(_ progress: TransferProgress) {
        guard let events, self is DownloadTask, !isSilent else { return }
        events.post(.bytesWritten(progress), of: self, in: events.written)
    }

    /// Calls a closure after the task's events so far were delivered; at once if they are not observed.
    func afterEvents(_ call: @escaping @Sendable () -> Void) {
        guard let events else { return call() }
        events.source.buffer.afterDelivery(call)
    }
}
