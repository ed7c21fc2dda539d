/// Receives events by a closure; OkHttp's EventListener and Alamofire's EventMonitor.
///
///     settings.events.observe { event in print(event) }
///
/// The closure is called in the order of events, on a thread of its own: a slow one delays no request. It is called for one event
/// at a time, of the session and of the sessions derived from it. Events that exceed the buffer's capacity are dropped;
/// ``SternaEvent/Kind/dropped(_:)`` has their number.
public struct EventObserver: Sendable {
    /// The families of events that the observer receives.
    public let families: SternaEvent.Families

    let receive: @Sendable (SternaEvent) -> Void

    /// Called with the number of each task that ends without an event, because it was cancelled silently.
    let endedSilently: (@Sendable (UInt64) -> Void)?

    /// The families that are recorded for this observer whatever ``capture`` returns.
    let standing: SternaEvent.Families

    /// Called where a call or a task is made, with the family of its events; nil records none of them for this observer.
    let capture: (@Sendable (SternaEvent.Families) -> (any EventContext)?)?

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - families: the families to receive; all by default. A session records no others, unless another observer or a reader
    ///     receives them.
    ///   - receive: called with each event.
    public init(_ families: SternaEvent.Families = .all, _ receive: @escaping @Sendable (SternaEvent) -> Void) {
        (self.families, standing, capture) = (families, families, nil)
        (self.receive, endedSilently) = (receive, nil)
    }

    /// Makes an observer that decides where a call or a task is made whether it needs the events.
    ///
    /// - Parameters:
    ///   - standing: the families that are recorded in any case.
    ///   - capture: returns what the observer needs of the caller's task; nil if it needs no events of the call. It then may still
    ///     receive events that other observers need.
    package init(
        _ families: SternaEvent.Families, standing: SternaEvent.Families,
        capture: @escaping @Sendable (SternaEvent.Families) -> (any EventContext)?,
        _ receive: @escaping @Sendable (SternaEvent) -> Void
    ) {
        (self.families, self.standing, self.capture) = (families, standing, capture)
        (self.receive, endedSilently) = (receive, nil)
    }

    /// Makes an observer with a closure for tasks that end without an event.
    package init(
        _ families: SternaEvent.Families, endedSilently: @escaping @Sendable (_ task: UInt64) -> Void,
        _ receive: @escaping @Sendable (SternaEvent) -> Void
    ) {
        (self.families, standing, capture) = (families, families, nil)
        (self.receive, self.endedSilently) = (receive, endedSilently)
    }
}
