import NIOCore
import SternaCore

/// Limits the number of concurrent requests to each origin by the measured capacity of its server (adaptive concurrency).
///
///     let limit = AdaptiveConcurrencyLimit(maxLimit: 100, longestWait: .seconds(5))
///     let api = try Session { $0.limits.concurrency = limit }
///
/// The limit follows the times to the responses' heads. It grows while they are as short as with few concurrent requests, and
/// shrinks when requests begin to queue in the server. Time-outs, connections that fail or are lost, and the statuses 429 and 503
/// lower it by a fifth. To measure the server's own time, the first requests, and a few at intervals of at least 30 s, are sent at
/// most three (or `minLimit`) at a time.
///
/// Further requests wait in order of arrival. A request fails with `trafficLimited`, and nothing is sent, if too many wait already
/// or it waits too long. A request counts until the head of its response has arrived. Sessions with the same object share the
/// limit.
public final class AdaptiveConcurrencyLimit: Sendable {
    private let bounds: ConcurrencyEstimate.Bounds
    fileprivate let maximumWaiting: Int
    fileprivate let longestWait: Duration
    private let gates: OriginStates<ConcurrencyGate>

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - minLimit: the lowest limit of an origin, at least 1; 1 by default.
    ///   - maxLimit: the highest limit of an origin, at least `minLimit`; 200 by default.
    ///   - maximumWaiting: the maximum number of waiting requests to an origin; 1,000 by default.
    ///   - longestWait: the maximum wait of a request; 10 s by default.
    public init(
        minLimit: Int = 1, maxLimit: Int = 200, maximumWaiting: Int = 1_000, longestWait: Duration = .seconds(10)
    ) {
        let bounds = ConcurrencyEstimate.Bounds(least: minLimit, most: maxLimit)
        self.bounds = bounds
        gates = OriginStates { ConcurrencyGate(bounds) }
        self.maximumWaiting = max(maximumWaiting, 0)
        self.longestWait = max(longestWait, .zero)
    }

    func gate(_ origin: Origin) -> ConcurrencyGate { gates.update(origin) { $0 } }
}

extension AdaptiveConcurrencyLimit: CustomReflectable {
    /// Shows the bounds, but no origins.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "minLimit": bounds.least, "maxLimit": bounds.most, "maximumWaiting": maximumWaiting,
                "longestWait": longestWait,
            ])
    }
}

/// Lets requests wait for a permit, and measures them.
struct AdaptiveConcurrencyInterceptor: Interceptor {
    let limit: AdaptiveConcurrencyLimit
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let gate = limit.gate(request.url.origin)
        try await takePlace(at: gate, for: request)
        let (sent, inFlight) = (time.clock.now, gate.inFlight)
        var outcome = ConcurrencyEstimate.Outcome.unknown
        defer { gate.leave(outcome, sent: sent, inFlight: inFlight, at: time.clock.now) }
        do {
            let response = try await next(request)
            outcome = ConcurrencyEstimate.outcome(of: response.status.code)
            return response
        } catch {
            outcome = ConcurrencyEstimate.outcome(of: error)
            throw error
        }
    }

    nonisolated(nonsending) private func takePlace(at gate: ConcurrencyGate, for request: Request) async throws {
        let left = request.deadline.map { Duration.nanoseconds(($0.instant - time.clock.now).nanoseconds) }
        let wait = min(limit.longestWait, left ?? limit.longestWait)
        let pause = CallWait(wait, request.call, time)
        let ticket: UInt64
        switch gate.enter(pause, waiting: limit.maximumWaiting) {
        case .pass: return
        case .refuse: throw refusal(gate, request, "\(limit.maximumWaiting) others wait already").at(request)
        case .wait(let own): ticket = own
        }
        do {
            try await pause.wait()
        } catch {
            if !gate.giveUp(ticket) {
                // The request has received a permit at the same time.
                let now = time.clock.now
                gate.leave(.unknown, sent: now, inFlight: 1, at: now)
            }
            throw error
        }
        guard gate.giveUp(ticket) else { return }
        guard wait == limit.longestWait else { throw Self.deadlinePassed.at(request) }
        throw refusal(gate, request, "no place was free for \(wait)").at(request)
    }

    private func refusal(_ gate: ConcurrencyGate, _ request: Request, _ reason: String) -> SternaError {
        SternaError(
            .trafficLimited, phase: .prepare,
            "Nothing was sent: the adaptive concurrency limit for \(request.url.origin) allows \(gate.limit) requests at once, and "
                + "\(reason). Send fewer requests, or raise the limits.")
    }

    private static var deadlinePassed: SternaError {
        SternaError(
            .timedOut, phase: .wait,
            "The deadline passed while the request waited for a place under the adaptive concurrency limit; nothing was sent."
        )
    }
}
