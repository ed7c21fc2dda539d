public import Metrics
public import Sterna

extension SessionSettings.Events {
    /// Reports metrics of the session's requests and of its engine's connections by swift-metrics, named as OpenTelemetry's conventions
    /// name them.
    ///
    ///     MetricsSystem.bootstrap(factory)
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.events.measure() }
    ///
    /// `docs/Metrics.md` has the table of instruments. Calling it again replaces the earlier choice. A transport of the session's own,
    /// such as a mock, has no attempts, and so no metrics of them.
    ///
    /// - Parameters:
    ///   - factory: makes the instruments; nil, the default, for the one in use now: bound by `withMetricsFactory`, or else bootstrapped.
    ///     Nothing is reported where that is the one that does nothing.
    ///   - hosts: the number of servers that are named, at least 0; 100 by default. Further ones are reported as `_OTHER`.
    ///   - interval: the time between two reports of connections; 10 s by default, at least 100 ms.
    ///   - engine: the name of the session's engine, added to figures of connections as `sterna.engine`; nil, the default, adds none. A
    ///     program that measures several engines names each.
    public mutating func measure(
        by factory: (any MetricsFactory)? = nil, hosts: Int = 100, every interval: Duration = .seconds(10),
        engine: String? = nil
    ) {
        let factory = factory ?? MetricsSystem.factory
        guard !(factory is NOOPMetricsHandler) else {
            meter = nil
            return
        }
        meter = Meter(
            Instruments(factory, servers: ServerLabels(most: hosts)), every: max(interval, .milliseconds(100)),
            engineName: engine)
    }
}
