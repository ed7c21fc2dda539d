import SternaCore
import Synchronization

/// Stops sending requests to an origin that keeps failing, so that calls fail at once rather than after a time-out, and the server
/// can recover.
///
///     let breaker = CircuitBreaker(failures: 5, openTime: .seconds(30))
///     let api = try Session { $0.circuitBreaker = breaker }
///
/// After a number of failures in a row an origin's circuit is open: requests fail with `trafficLimited`, and nothing is sent. After a
/// time a probe is let through; if it succeeds the circuit is closed again. Failures are connections that fail, break off or time
/// out, and the statuses 500, 502, 503 and 504. Sessions that have the same breaker share its circuits.
public final class CircuitBreaker: Sendable {
    struct Rules: Sendable {
        let failures: Int
        let openTime: Duration
        let probes: Int
    }

    private let rules: Rules
    private let circuits = OriginStates { Circuit() }

    /// - Parameters:
    ///   - failures: the number of failures in a row that opens a circuit; 5 by default.
    ///   - openTime: the time after which an open circuit lets probes through; 30 s by default.
    ///   - probes: the number of probes at the same time; 1 by default.
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

/// Asks the circuit of a request's origin before it is sent.
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

/// Reports what an attempt on the network says about its server. Further up, waits for tokens, credentials and turns can fail as well,
/// which says nothing about it.
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
