import NIOCore
import SternaCore

/// The circuit of an origin.
///
/// It is closed while requests succeed, opens after a number of consecutive failures, and permits a few probes after a time. A
/// successful probe closes it; a failed one opens it again.
struct Circuit: Sendable {
    private enum State: Sendable, Hashable {
        case closed(failures: Int)
        case open(until: NIODeadline)
        /// With probes under way.
        case halfOpen(probes: Int)
    }

    /// Whether a request may be sent.
    enum Admission: Sendable, Hashable {
        case pass
        /// The request is a probe, whose result must be reported.
        case probe
        /// The request must not be sent; contains the time until the next probe, zero while a probe is under way.
        case refuse(Duration)
    }

    /// The result of a request.
    enum Result: Sendable, Hashable {
        case success, failure
        /// The result says nothing about the server, such as a cancellation.
        case unknown
    }

    private var state = State.closed(failures: 0)

    /// Returns whether a request may be sent.
    mutating func admit(_ rules: CircuitBreaker.Rules, at now: NIODeadline) -> Admission {
        switch state {
        case .closed: return .pass
        case .open(let end):
            guard end <= now else { return .refuse(.nanoseconds((end - now).nanoseconds)) }
            state = .halfOpen(probes: 1)
            return .probe
        case .halfOpen(let probes):
            guard probes < max(rules.probes, 1) else { return .refuse(.zero) }
            state = .halfOpen(probes: probes + 1)
            return .probe
        }
    }

    /// Records the result of an admitted request; returns whether it has opened the circuit.
    mutating func ended(_ result: Result, isProbe: Bool, _ rules: CircuitBreaker.Rules, at now: NIODeadline) -> Bool {
        switch (state, result) {
        case (.closed, .success) where !isProbe:
            state = .closed(failures: 0)
            return false
        case (.closed(let failures), .failure) where !isProbe:
            guard failures + 1 >= max(rules.failures, 1) else {
                state = .closed(failures: failures + 1)
                return false
            }
            return open(rules, at: now)
        case (.halfOpen, .success) where isProbe:
            state = .closed(failures: 0)
            return false
        case (.halfOpen, .failure) where isProbe: return open(rules, at: now)
        case (.halfOpen(let probes), .unknown) where isProbe:
            // If no probe is left under way, the next request is a probe.
            state = probes > 1 ? .halfOpen(probes: probes - 1) : .open(until: now)
            return false
        // Requests sent before the circuit changed say nothing about its current state.
        default: return false
        }
    }

    private mutating func open(_ rules: CircuitBreaker.Rules, at now: NIODeadline) -> Bool {
        state = .open(until: now + TimeAmount(clamping: rules.openTime))
        return true
    }

    /// Returns what an error says about the server.
    static func result(of error: any Error) -> Result {
        guard let known = error as? SternaError else { return .unknown }
        switch known.kind {
        // The proxy, or the program's code that supplies its credentials, was too slow.
        case .timedOut where known.phase == .proxy: return .unknown
        case .connectionFailed, .connectionClosed, .truncated, .writeFailed, .timedOut, .hostNotFound, .tlsFailed:
            return .failure
        default: return .unknown
        }
    }

    /// Returns what a status says about the server.
    static func result(of status: Int) -> Result {
        switch status {
        case 500, 502, 503, 504: .failure
        // A proxy sends 407, not the server.
        case 407: .unknown
        default: .success
        }
    }
}
