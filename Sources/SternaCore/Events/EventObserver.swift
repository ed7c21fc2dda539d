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

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - families: what it receives; all by default. What nobody receives is not recorded.
    ///   - receive: called with each event.
    public init(_ families: SternaEvent.Families = .all, _ receive: @escaping @Sendable (SternaEvent) -> Void) {
        (self.families, self.receive) = (families, receive)
    }
}
