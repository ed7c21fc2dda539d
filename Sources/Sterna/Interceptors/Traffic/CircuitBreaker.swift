import SternaCore
import Synchronization

/// Stops sending requests to a failing origin, so that calls fail at once instead of after a time-out, and the server can recover.
///
///     let breaker = CircuitBreaker(failures: 5, openTime: .seconds(30))
///     let api = try Session { $0.limits.circuitBreaker = breaker }
///
/// After a number of consecutive failures an origin's circuit opens: requests fail with `trafficLimited`, and nothing is sent.
/// After a time a probe is sent; if it succeeds, the circuit closes again. Failures are unknown hosts, connections that cannot be
/// opened or are lost, failed TLS handshakes, time-outs, and the statuses 500, 502, 503 and 504. Rejected certificates, and tunnels
/// that a proxy refuses, do not count. Sessions with the same breaker share its circuits.
public final class CircuitBreaker: Sendable {
    struct Rules: Sendable {
        let failures: Int
        let openTime: Duration
        let probes: Int
    }

    private let rules: Rules
    private let circuits = OriginStates { Circuit() }

    /// Makes a breaker.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failures that opens a circuit, at least 1; 5 by default.
    ///   - openTime: the time after which an open circuit permits probes; 30 s by default.
    ///   - probes: the maximum number of concurrent probes, at least 1; 1 by default.
    public init(failures: Int = 5, openTime: Duration = .seconds(30), probes: Int = 1) {
        rules = Rules(failures: failures, openTime: openTime, probes: probes)
    }

    func admit(_ origin: Origin, _ clock: NetworkClock) -> Circuit.Admission {
        circuits.update(origin) { $0.admit(rules, at: clock.now) }
    }

    func ended(_ origin: Origin, _ result: Circuit.Result, isProbe: Bool, _ clock: NetworkClock) {
        _ = circuits.update(origin) { $0.ended(result, isProbe: isProbe, rules, at: clock.now) }
    }
}

extension CircuitBreaker: CustomReflectable {
    /// Shows the rules, but no origins.
    public var customMirror: Mirror { Mirror(self, children: ["rules": rules]) }
}

/// Checks the circuit of a request's origin before the request is sent.
struct CircuitBreakerInterceptor: Interceptor {
    let breaker: CircuitBreaker
    let clock: NetworkClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let origin = request.url.origin
        let isProbe: Bool
        switch breaker.admit(origin, clock) {
        case .pass: isProbe = false
        case .probe: isProbe = true
        case .refuse(let rest): throw Self.refusal(origin, rest).at(request)
        }
        let report = CircuitReport()
        var watched = request
        watched.state.attempt.circuitReport = report
        defer { breaker.ended(origin, report.result, isProbe: isProbe, clock) }
        return try await next(watched)
    }

    private static func refusal(_ origin: Origin, _ rest: Duration) -> SternaError {
        let when =
            rest > .zero
            ? "The next one is tried in \(max(1, rest.components.seconds)) s." : "A probe is under way; try again soon."
        return SternaError(
            .trafficLimited, phase: .prepare,
            "Nothing was sent: requests to \(origin) have failed repeatedly, and the circuit breaker is open. \(when)")
    }
}

/// Reports what an attempt on the network says about its server. It is below the waits for tokens, credentials and turns, whose
/// failures say nothing about the server.
struct CircuitReportInterceptor: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let report = request.state.attempt.circuitReport else { return try await next(request) }
        do {
            let response = try await next(request)
            report.result = Circuit.result(of: response.status.code)
            return response
        } catch {
            report.result = Circuit.result(of: error)
            throw error
        }
    }
}

/// The result of the last attempt of a request; unknown before the first.
final class CircuitReport: Sendable {
    private let state = Mutex(Circuit.Result.unknown)

    var result: Circuit.Result {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
