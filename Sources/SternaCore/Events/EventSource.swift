/// The origin of events, a session or a queue of transfers: its observers, and the buffer that delivers its events.
///
/// The source of a session is the parent of those of the sessions derived from it. They share a buffer, so their events have one
/// order.
package final class EventSource: Sendable {
    package let buffer: EventBuffer
    private let observers: [EventObserver]
    private let observed: SternaEvent.Families
    private let parent: EventSource?
    private let captures: [@Sendable (SternaEvent.Families) -> (any EventContext)?]

    /// - Parameter capacity: the maximum number of pending events.
    package init(_ observers: [EventObserver], capacity: Int) {
        (self.observers, buffer, parent) = (observers, EventBuffer(capacity: capacity), nil)
        observed = observers.reduce(into: []) { $0.formUnion($1.standing) }
        captures = observers.compactMap(\.capture)
    }

    package init(_ observers: [EventObserver], below parent: EventSource) {
        (self.observers, buffer, self.parent) = (observers, parent.buffer, parent)
        observed = observers.reduce(into: []) { $0.formUnion($1.standing) }
        captures = observers.compactMap(\.capture)
    }

    /// Makes the source of a queue of a session's transfers, whose observers are called after those of the session.
    package convenience init(adding observers: [EventObserver], below parent: EventSource) {
        self.init(parent.observers + observers, below: parent)
    }

    // The source posts no more events, so the sequences of its readers end.
    deinit { buffer.endReaders(of: ObjectIdentifier(self)) }

    /// Whether an observer or a reader receives a family.
    package func wants(_ family: SternaEvent.Families) -> Bool {
        !observed.isDisjoint(with: family) || !buffer.readerFamilies.isDisjoint(with: family)
    }

    /// Returns what observers capture for a call or a task that is made now, whose events are then recorded; nil if they need none.
    package func context(for family: SternaEvent.Families) -> (any EventContext)? {
        guard captures.count > 1 else { return captures.first?(family) }
        let contexts = captures.compactMap { $0(family) }
        return contexts.count > 1 ? EventContextGroup(contexts) : contexts.first
    }

    /// Posts an event. It neither blocks nor calls user code, so it may be called from any thread.
    ///
    /// - Parameter slot: the slot of an earlier event, which this one replaces if it is still pending.
    package func post(_ event: SternaEvent, in slot: EventSlot? = nil) {
        var posted = PostedEvent(event, of: self)
        buffer.post(&posted, in: slot)
    }

    /// Calls the observers' closures for a task that ended silently, after the delivery of its events.
    package func endedSilently(_ task: UInt64) {
        let calls = observers.compactMap(\.endedSilently)
        guard !calls.isEmpty else { return }
        buffer.afterDelivery { for call in calls { call(task) } }
    }

    /// Whether this is the other source, or a descendant of it.
    func isPart(of other: ObjectIdentifier) -> Bool {
        var source: EventSource? = self
        while let current = source {
            if ObjectIdentifier(current) == other { return true }
            source = current.parent
        }
        return false
    }

    /// Calls the observers that receive the event's family.
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
