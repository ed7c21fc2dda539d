import NIOCore
import SternaCore

/// The circuit of an origin: a value, without a clock.
///
/// It is closed while requests succeed, opens after a number of failures in a row, and lets a few probes through after a time. A
/// probe that succeeds closes it, one that fails opens it again.
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
        /// The request is a probe, whose result has to be reported.
        case probe
        /// The request must not be sent; with the time until a probe may be, zero while one is under way.
        case refuse(Duration)
    }

    /// What became of a request.
    enum Result: Sendable, Hashable {
        case success, failure
        /// Nothing that tells how the server is, such as a cancellation.
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

    /// Records the result of a request that was admitted; returns whether the circuit has opened by it.
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
            // Without any probe under way the next request is one.
            state = probes > 1 ? .halfOpen(probes: probes - 1) : .open(until: now)
            return false
        // Requests from before the circuit changed tell nothing about now.
        default: return false
        }
    }

    private mutating func open(_ rules: CircuitBreaker.Rules, at now: NIODeadline) -> Bool {
        state = .open(until: now + TimeAmount(clamping: rules.openTime))
        return true
    }

    /// What an error of a request says about its server.
    static func result(of error: any Error) -> Result {
        guard let known = error as? SternaError else { return .unknown }
        switch known.kind {
        // By the proxy, or by the code that is asked for its credentials meanwhile.
        case .timedOut where known.phase == .proxy: return .unknown
        case .connectionFailed, .connectionClosed, .truncated, .writeFailed, .timedOut, .hostNotFound, .tlsFailed:
            return .failure
        default: return .unknown
        }
    }

    /// What a status says about its server.
    static func result(of status: Int) -> Result {
        switch status {
        case 500, 502, 503, 504: .failure
        // A proxy's answer, not the server's.
        case 407: .unknown
        default: .success
        }
    }
}
