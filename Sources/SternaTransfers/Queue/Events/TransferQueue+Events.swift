import NIOCore
import Sterna
public import SternaCore

extension TransferQueue {
    /// The events of the queue from now on, in order: those of the family ``SternaCore/SternaEvent/Families/transfers``.
    ///
    ///     for await event in queue.events {
    ///         if case .transferFinished = event.kind { print("ends", event.transfer?.id ?? 0) }
    ///     }
    ///
    /// The sequence ends with the queue object, or when the Swift task is cancelled. The events of a transfer arrive in order; its
    /// last one is `transferFinished` or `transferFailed`. Their time counts from the queue's creation. The queue's session
    /// delivers the events, too.
    public var events: some AsyncSequence<SternaEvent, Never> & Sendable {
        SternaEvents(of: source, .transfers, capacity: source.buffer.capacity)
    }

    /// Posts an event if an observer wants it. Called under the lock of the state, so that events follow its changes.
    func post(_ kind: @autoclosure () -> SternaEvent.Kind, of transfer: QueuedTransfer? = nil) {
        guard source.wants(.transfers) else { return }
        let elapsed = Duration.nanoseconds((time.clock.now - began).nanoseconds)
        source.post(SternaEvent(kind(), time: elapsed, owner: transfer))
    }
}

extension SternaEvent {
    /// The transfer of a queue's event; nil for other events.
    public var transfer: QueuedTransfer? { owner as? QueuedTransfer }
}

extension Response {
    /// The head without the body, for events, which must not keep a connection.
    var withoutBody: Response {
        var head = self
        head.body = ResponseBody()
        return head
    }
}
