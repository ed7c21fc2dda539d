import SternaCore

/// Decides whether an event stream connects again (WHATWG HTML, section 9.2.3), without I/O and clock.
enum EventStreamRule {
    /// How a connection ended.
    enum Outcome: Sendable, Hashable {
        /// The server has ended a stream.
        case ended
        /// The server wants no more connections: it answered 204.
        case noContent
        /// The request or its response failed; `retryAfter` is the wait that the response asks for.
        case failed(SternaError.Kind, SternaError.Phase, status: Int, retryAfter: Duration?)
    }

    enum Decision: Sendable, Hashable {
        case finish
        /// Ends the stream with the failure's error.
        case fail
        case connect(after: Duration)
    }

    /// Decides after a connection has ended.
    ///
    /// - Parameters:
    ///   - reconnectionTime: the stream's own if the server has set one, or else that of the settings.
    ///   - failures: the number of failures since a response was last accepted, this one included.
    ///   - random: a random number from 0 to 1.
    static func decide(
        _ outcome: Outcome, _ settings: EventStreamSettings, reconnects: Bool, reconnectionTime: Duration,
        failures: Int,
        random: Double
    ) -> Decision {
        switch outcome {
        case .noContent: return .finish
        case .ended: return reconnects ? .connect(after: reconnectionTime) : .finish
        case .failed(let kind, let phase, let status, let retryAfter):
            guard reconnects,
                isTransient(kind, phase) || kind == .unacceptableStatus && settings.retriedStatuses.contains(status)
            else { return .fail }
            if let limit = settings.failureLimit, failures >= limit { return .fail }
            let delay = reconnectionTime + settings.backoff.delay(before: max(0, failures - 1), random: random)
            return .connect(after: max(delay, retryAfter ?? .zero))
        }
    }

    /// Whether a failure is one of the network, which may be over when the stream connects again.
    static func isTransient(_ kind: SternaError.Kind, _ phase: SternaError.Phase) -> Bool {
        switch kind {
        case .hostNotFound, .addressRefused, .connectionFailed, .proxyFailed, .tlsFailed, .writeFailed,
            .connectionClosed,
            .truncated, .trafficLimited:
            true
        // The request's deadline stays in the past.
        case .timedOut: phase != .prepare
        default: false
        }
    }
}
