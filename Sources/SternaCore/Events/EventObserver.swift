/// Receives events by a closure; OkHttp's EventListener and Alamofire's EventMonitor.
///
///     settings.events.observe { event in print(event) }
///
/// The closure is called in the order of events, on a thread of its own: a slow one delays no request. The events of a session and of
/// those derived from it come one at a time. Beyond the buffer's capacity events are lost, and counted by
/// ``SternaEvent/Kind/dropped(_:)``.
public struct EventObserver: Sendable {
    /// The families that it receives.
    public let families: SternaEvent.Families

    let receive: @Sendable (SternaEvent) -> Void

    /// Called with the number of each task that ends without an event, because it was cancelled silently.
    let endedSilently: (@Sendable (UInt64) -> Void)?

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - families: what it receives; all by default. What nobody receives is not recorded.
    ///   - receive: called with each event.
    public init(_ families: SternaEvent.Families = .all, _ receive: @escaping @Sendable (SternaEvent) -> Void) {
        (self.families, self.receive, endedSilently) = (families, receive, nil)
    }

    /// Makes an observer that also learns of tasks that end without an event.
    package init(
        _ families: SternaEvent.Families, endedSilently: @escaping @Sendable (_ task: UInt64) -> Void,
        _ receive: @escaping @Sendable (SternaEvent) -> Void
    ) {
        (self.families, self.receive, self.endedSilently) = (families, receive, endedSilently)
    }
}
