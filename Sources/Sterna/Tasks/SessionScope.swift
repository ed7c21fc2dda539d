import SternaCore
import Synchronization

/// A session value and those derived from it with `with`: they share one register of tasks. Invalidating a session closes its scope
/// and the scopes below, never those above.
final class SessionScope: Sendable {
    let register: TaskRegister

    /// The source of the session's events; below the sources of the sessions that it was derived from.
    let events: EventSource

    /// The calls of the session and of those derived from it, without those of tasks that were never resumed.
    let calls: CallScope

    /// The retry budgets of the session and of those derived from it.
    let retries: RetryLedger

    /// The alternative services (RFC 7838) that servers have announced to the session and to those derived from it.
    let alternatives: AltSvcStore
    private let parent: SessionScope?

    /// Reports the engine's figures while the session exists; nil in most sessions.
    private let metering: (any AnyObject & Sendable)?
    private let isClosed = Atomic<Bool>(false)

    /// Whether the session can be invalidated; ``Session/shared`` cannot.
    let isClosable: Bool

    init(_ settings: SessionSettings, isClosable: Bool = true) {
        events = EventSource(settings.allObservers, capacity: settings.events.capacity)
        self.isClosable = isClosable
        parent = nil
        metering = settings.events.meter?.begin(on: settings.network.engine)
        if let recorder = settings.events.recorder {
            recorder.begin(on: events.buffer)
            settings.network.engine.keepCertificates()
        }
        register = TaskRegister()
        calls = CallScope()
        retries = RetryLedger()
        alternatives = AltSvcStore()
    }

    /// Makes the scope of a derived session.
    init(_ settings: SessionSettings, below parent: SessionScope) {
        events = EventSource(settings.allObservers, below: parent.events)
        isClosable = true
        self.parent = parent
        metering = settings.events.meter?.begin(on: settings.network.engine)
        if let recorder = settings.events.recorder {
            recorder.begin(on: events.buffer)
            settings.network.engine.keepCertificates()
        }
        register = parent.register
        calls = CallScope(below: parent.calls)
        retries = parent.retries
        alternatives = parent.alternatives
    }

    /// Whether the session, or one that it was derived from, was invalidated.
    var isInvalidated: Bool {
        var scope: SessionScope? = self
        while let current = scope {
            if current.isClosed.load(ordering: .relaxed) { return true }
            scope = current.parent
        }
        return false
    }

    /// Whether a scope is this one, or lies below it.
    func contains(_ other: SessionScope) -> Bool {
        var scope: SessionScope? = other
        while let current = scope {
            if current === self { return true }
            scope = current.parent
        }
        return false
    }

    /// Closes the scope; returns whether it was open.
    func close() -> Bool { isClosable && !isClosed.exchange(true, ordering: .relaxed) }
}
