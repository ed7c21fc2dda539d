/// What events come from: a session, or a queue of transfers. It knows who wants them, and the buffer that delivers them.
///
/// A session's source lies above those of sessions that were derived from it: they share a buffer, and so their events have one order.
package final class EventSource: Sendable {
    package let buffer: EventBuffer
    private let observers: [EventObserver]
    private let observed: SternaEvent.Families
    private let parent: EventSource?

    /// - Parameter capacity: the number of events that wait at most.
    package init(_ observers: [EventObserver], capacity: Int) {
        (self.observers, buffer, parent) = (observers, EventBuffer(capacity: capacity), nil)
        observed = observers.reduce(into: []) { $0.formUnion($1.families) }
    }

    package init(_ observers: [EventObserver], below parent: EventSource) {
        (self.observers, buffer, self.parent) = (observers, parent.buffer, parent)
        observed = observers.reduce(into: []) { $0.formUnion($1.families) }
    }

    /// Makes the source of something that has events in a session: its own observers follow those of the session.
    package convenience init(adding observers: [EventObserver], below parent: EventSource) {
        self.init(parent.observers + observers, below: parent)
    }

    // Ends the sequences of readers that receive nothing any more.
    deinit { buffer.endReaders(of: ObjectIdentifier(self)) }

    /// Whether an observer or a reader receives a family.
    package func wants(_ family: SternaEvent.Families) -> Bool {
        !observed.isDisjoint(with: family) || !buffer.readerFamilies.isDisjoint(with: family)
    }

    /// Posts an event. Never waits and calls no user code, so it may be called anywhere.
    ///
    /// - Parameter slot: the place of an earlier event that this one replaces if it was not delivered yet.
    package func post(_ event: SternaEvent, in slot: EventSlot? = nil) {
        var posted = PostedEvent(event, of: self)
        buffer.post(&posted, in: slot)
    }

    /// Tells the observers that asked for it that a task ended silently, after the delivery of its events.
    package func endedSilently(_ task: UInt64) {
        let calls = observers.compactMap(\.endedSilently)
        guard !calls.isEmpty else { return }
        buffer.afterDelivery { for call in calls { call(task) } }
    }

    /// Whether it is a source, or lies below it.
    func isPart(of other: ObjectIdentifier) -> Bool {
        var source: EventSource? = self
        while let current = source {
            if ObjectIdentifier(current) == other { return true }
            source = current.parent
        }
        return false
    }

    /// Calls the observers.
    func deliver(_ event: SternaEvent) {
        // By index, since the loop's copy of an observer would cost each event.
        for index in observers.indices where event.isPart(of: observers[index].families) {
            observers[index].receive(event)
        }
    }
}

extension SternaEvent {
    func isPart(of families: Families) -> Bool {
        guard let family = kind.family else { return true }
        return families.contains(family)
    }
}
