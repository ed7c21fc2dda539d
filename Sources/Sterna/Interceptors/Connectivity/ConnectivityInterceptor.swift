import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// Delays requests while the network is unreachable, and resends requests that failed because it was lost.
///
/// It is below the cache, which needs no network, and above signatures, which contain a time.
struct ConnectivityInterceptor: Interceptor {
    let gate: ConnectivityGate
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard request.options[WaitsForConnectivityKey.self] else { return try await next(request) }
        let path = gate.path
        if path.status == .notReachable,
            ConnectivityRule.holdsBefore(
                request, path, hasOtherRoute: gate.hasOtherRoute(to: request.url.hostWithoutBrackets))
        {
            try await wait(request, after: nil)
        }
        // Each wait requires a loss of the network, so the loop ends; the deadline bounds it, too.
        while true {
            let wasAway = gate.path.status == .notReachable
            do {
                return try await next(request)
            } catch let error as SternaError {
                guard ConnectivityRule.isLoss(error.kind),
                    ConnectivityRule.holdsAfter(
                        error, request, await newestPath(after: error), wasAway: wasAway,
                        hasOtherRoute: gate.hasOtherRoute(to: request.url.hostWithoutBrackets))
                else { throw error }
                try await wait(request, after: error)
            }
        }
    }

    private func newestPath(after error: SternaError) async -> RoutePath {
        let path = await gate.answer()
        guard path.isReachable, ConnectivityRule.saysLost(error) else { return path }
        return await gate.change(within: .milliseconds(100), time)
    }

    /// Waits until the network is back. At the request's deadline it throws `timedOut`, or the attempt's own error if no time was
    /// left for a wait.
    private nonisolated(nonsending) func wait(_ request: Request, after earlier: SternaError?) async throws {
        let rest = request.deadline.map { Duration.nanoseconds(($0.instant - time.clock.now).nanoseconds) }
        if let earlier, let rest, rest <= .zero { throw earlier }
        let pause = CallWait(rest ?? .seconds(86_400 * 365), request.call, time)
        let isBack = Mutex(false)
        let giveUp = gate.whenBack {
            isBack.withLock { $0 = true }
            pause.wake()
        }
        guard let giveUp else { return }
        defer { giveUp() }
        try await pause.wait()
        guard !isBack.withLock({ $0 }) else { return }
        throw Self.late(after: earlier).at(request)
    }

    private static func late(after earlier: SternaError?) -> SternaError {
        guard let earlier else {
            return SternaError(
                .timedOut, phase: .wait, "The network was away until the request's time was over; nothing was sent.")
        }
        var error = SternaError(
            .timedOut, phase: .wait,
            "The network failed the request, and was away until its time was over. The attempt: \(earlier.message)",
            underlying: earlier)
        error.requestSent = earlier.requestSent
        return error
    }
}
