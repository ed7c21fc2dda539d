public import Logging
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

        var logging: LogSetting?

        /// Reports calls and their requests as spans; set by the module SternaTracing.
        package var spans: SpanSetting?

        /// Reports metrics; set by the module SternaMetrics.
        package var meter: (any SessionMeter)?

        /// Records exchanges; set by the module SternaRecorder.
        package var recorder: (any SessionRecorder)?

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

        /// Writes a line for each event to a logger of swift-log; OkHttp's HttpLoggingInterceptor.
        ///
        ///     let api = try Session { $0.events.log() }
        ///
        /// Messages are static and values are metadata, without secrets; `docs/Observability.md` has the table of all lines. Lines are
        /// of the levels `debug` and `trace`, and `warning` for failures. Header fields and the curl command need `trace`. A call
        /// whose logger does not want `debug` records no event; its failure still is a line. A second use replaces the first.
        ///
        /// - Parameters:
        ///   - families: the events to log; by default those of calls.
        ///   - logger: the logger; nil, the default, takes `Logger.current` of the task that makes each call, and of the task that made
        ///     the session for what belongs to no call.
        ///   - bodies: the maximum size in bytes of a textual body that is logged, at `debug`; 0, the default, logs none. A larger
        ///     body is left out as a whole.
        public mutating func log(
            _ families: SternaEvent.Families = .network, to logger: Logger? = nil, bodies: Int = 0
        ) {
            logging = LogSetting(families: families, logger: logger, bodyLimit: max(0, bodies))
        }
    }
}
