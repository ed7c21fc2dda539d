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

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - families: the families to receive; all by default. A session records no others, unless another observer or a reader
    ///     receives them.
    ///   - receive: called with each event.
    public init(_ families: SternaEvent.Families = .all, _ receive: @escaping @Sendable (SternaEvent) -> Void) {
        (self.families, self.receive, endedSilently) = (families, receive, nil)
    }

    /// Makes an observer with a closure for tasks that end without an event.
    package init(
        _ families: SternaEvent.Families, endedSilently: @escaping @Sendable (_ task: UInt64) -> Void,
        _ receive: @escaping @Sendable (SternaEvent) -> Void
    ) {
        (self.families, self.receive, self.endedSilently) = (families, receive, endedSilently)
    }
}
