public import SternaCore

/// The events of a session, and of those derived from it.
extension Session {
    /// All events from now on; see ``events(_:)``.
    public var events: some AsyncSequence<SternaEvent, Never> & Sendable { events(.all) }

    /// The events of some families from now on.
    ///
    ///     for await event in api.events(.tasks) {
    ///         if case .taskCompleted(let error) = event.kind { print(event.task?.id ?? 0, error?.message ?? "done") }
    ///     }
    ///
    /// The sequence ends when the Swift task is cancelled, and when no session, call or task is left that could have events. It
    /// keeps a limited number of events for a reader that is slow; more are lost, and counted by
    /// ``SternaCore/SternaEvent/Kind/dropped(_:)``. Several iterators share its events. To store it, declare the property as
    /// `any AsyncSequence<SternaEvent, Never> & Sendable`.
    ///
    /// Calls and tasks that were made earlier post events only if an observer or another reader received such events when they were
    /// made.
    public func events(_ families: SternaEvent.Families) -> some AsyncSequence<SternaEvent, Never> & Sendable {
        SternaEvents(of: eventSource, families, capacity: eventSource.buffer.capacity)
    }

    /// Waits until observers have received all events so far; returns early if the Swift task is cancelled.
    public func flushEvents() async { await eventSource.buffer.flush() }

    package var eventSource: EventSource { plan.scope.events }
}

extension SternaEvent {
    /// The task that the event is about; nil for events of the network, of queues and of sessions.
    ///
    /// A network event has the number of its task in ``SternaCore/SternaEvent/call``.
    public var task: SessionTask? { owner as? SessionTask }

    /// The session that was invalidated; nil for other events.
    public var session: Session? { (owner as? SessionPlan).map { Session(plan: $0) } }
}

extension Response {
    /// The response without its body, for events, which must not hold a connection.
    var withoutBody: Response {
        var head = self
        head.body = ResponseBody()
        return head
    }
}
