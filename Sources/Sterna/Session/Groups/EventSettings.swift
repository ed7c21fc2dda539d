public import SternaCore

extension SessionSettings {
    /// What is reported of calls and tasks, and to which receivers.
    public struct Events: Sendable {
        /// The observers that receive the events of calls and tasks, called in this order; none by default.
        public var observers: [EventObserver] = []

        /// The maximum number of events that wait for observers, and for each reader of ``Session/events``; 4,096 by default.
        /// Further events are dropped and counted (``SternaCore/SternaEvent/Kind/dropped(_:)``). A derived session shares the
        /// buffer of the one that it was derived from, and has its capacity.
        public var capacity = 4_096

        /// Whether to record metrics of requests, in ``Response/metrics`` and ``SternaError/metrics``; no by default.
        public var collectsMetrics = false

        var notifications = NotificationSetting()

        /// Adds an observer.
        ///
        ///     let api = try Session { $0.events.observe(.network) { event in print(event) } }
        ///
        /// - Parameters:
        ///   - families: what it receives; all by default.
        ///   - receive: called with each event, on a thread of its own; see ``SternaCore/EventObserver``.
        public mutating func observe(
            _ families: SternaEvent.Families = .all, _ receive: @escaping @Sendable (SternaEvent) -> Void
        ) {
            observers.append(EventObserver(families, receive))
        }
    }
}
