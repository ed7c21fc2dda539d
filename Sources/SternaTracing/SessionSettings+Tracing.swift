public import Sterna
public import Tracing

extension SessionSettings.Events {
    /// Records a span for each request on the network, and sends its context to the server, by OpenTelemetry's conventions for HTTP
    /// clients.
    ///
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.events.trace() }
    ///
    /// Redirects, retries and hedged copies have spans of their own. `docs/Tracing.md` has the table of attributes. Calling it again
    /// replaces the earlier choice.
    ///
    /// - Parameters:
    ///   - tracer: the tracer; nil, the default, for the one that is in use when a request is sent: bound by `withTracer`, or else
    ///     bootstrapped. Without one, and with a `NoOpTracer`, nothing is recorded or sent.
    ///   - wholeCalls: whether each call has a span of the kind internal around those of its requests; no by default. It also covers
    ///     waits between requests, and calls that the cache answers.
    public mutating func trace(by tracer: (any Tracer)? = nil, wholeCalls: Bool = false) {
        let choice = TracerChoice(own: tracer)
        spans = SpanSetting(
            requests: SpanInterceptor(tracers: choice, kind: .client),
            calls: wholeCalls ? SpanInterceptor(tracers: choice, kind: .internal) : nil,
            isActive: { choice.current != nil }, joinedCalls: { JoinedContexts() })
    }
}

/// The choice of a session's tracer.
struct TracerChoice: Sendable {
    /// The session's own tracer; nil for the one in use.
    private let own: (any Tracer)?

    /// Whether the session's own tracer does nothing.
    private let isOff: Bool

    init(own: (any Tracer)?) { (self.own, isOff) = (own, own is NoOpTracer) }

    /// The tracer for a request that is sent now; nil if nothing is recorded.
    var current: (any Tracer)? {
        if isOff { return nil }
        if let own { return own }
        let tracer = InstrumentationSystem.tracer
        // Compared by its type, since every request asks, and a cast takes several times as long.
        return type(of: tracer) == NoOpTracer.self ? nil : tracer
    }
}
