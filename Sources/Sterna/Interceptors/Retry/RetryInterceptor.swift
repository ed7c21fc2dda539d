import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform

/// Retries requests by their policy and retriers, and reads the bodies that calls collect, since a truncated body is a failure,
/// too.
///
/// A class, since each request in flight would hold a copy of a structure.
final class RetryInterceptor: Interceptor {
    private let time: LoopClock
    private let ledger: RetryLedger
    private let collectedBytes: Int
    private let gate: ConnectivityGate?
    private let handlers: RetryHandlers

    /// - Parameters:
    ///   - collectedBytes: the maximum size of a collected body, in bytes.
    ///   - gate: ends the wait before a retry when the network returns; nil in sessions that do not watch it.
    ///   - handlers: the session's adapters and retriers.
    init(
        time: LoopClock, ledger: RetryLedger, collectedBytes: Int, gate: ConnectivityGate? = nil,
        handlers: RetryHandlers = RetryHandlers()
    ) {
        self.time = time
        self.ledger = ledger
        self.collectedBytes = collectedBytes
        self.gate = gate
        self.handlers = handlers
    }

    private func random() -> Double { Double.random(in: 0..<1) }

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        if !request.isBare || !handlers.isEmpty, isPrepared(request) { return try await run(request, next, nil) }
        let response: Response
        do {
            response = try await next(request)
        } catch {
            return try await run(request, next, .failure(error))
        }
        if response.status.code < 400, request.isBare, !ledger.isCounting,
            response.body.whole != nil || request.delivery.isStreamed
        {
            return response
        }
        if isSettled(response, request) { return response }
        return try await run(request, next, .success(response))
    }

    // Separate functions from here on, whose locals would otherwise occupy memory in every waiting request.

    /// Returns whether a request needs work before its first attempt, or retriers after it.
    @inline(never)
    private func isPrepared(_ request: Request) -> Bool {
        request.options.read(RetryPolicyKey.self, \.hasHistory) == true || !handlers.isEmpty
            || request.state.choices.retryHandlers.adds
    }

    /// Returns whether the first response is the result, and its body is not read here.
    @inline(never)
    private func isSettled(_ response: Response, _ request: Request) -> Bool {
        let status = response.status.code
        // A 504 of the cache (only-if-cached) means that the network must not be used.
        if response.source != .cache,
            request.options.read(RetryPolicyKey.self, { $0.heeds(status) }) ?? RetryPolicy.standard.heeds(status)
        {
            return false
        }
        guard reading(of: response, to: request) == nil else { return false }
        if ledger.isCounting { ledger.count(request.url.origin) }
        return true
    }

    /// Returns how the body of a response is read here; nil if the caller reads it, or if it is complete already.
    private func reading(of response: Response, to request: Request) -> BodyReading? {
        BodyReading(of: response, to: request, collectedBytes: collectedBytes)
    }

    /// Sends a request until a result is final.
    ///
    /// - Parameter first: the outcome of the first attempt; nil before it.
    @inline(never)
    nonisolated(nonsending) private func run(
        _ request: Request, _ next: Chain, _ first: Result<Response, any Error>?
    ) async throws -> Response {
        var work = RetryWork(request, time.clock, ledger, handlers, random())
        var outcome: Result<Response, any Error>
        if let first { outcome = first } else { outcome = await work.attempt(next) }
        if ledger.isCounting { ledger.count(request.url.origin) }
        while true {
            switch await work.decide(&outcome) {
            case .deliver:
                let response = try work.deliver(outcome)
                guard let reading = reading(of: response, to: work.request) else { return response }
                do {
                    return try await BodyReadingInterceptor.read(response, to: work.request, by: reading)
                } catch {
                    outcome = .failure(error)
                }
            case .fail(let error):
                if case .success(let response) = outcome { response.body.cancel() }
                throw error
            case .retry(let retry):
                if case .success(let response) = outcome { response.body.cancel() }
                work.schedule(retry)
                try await pause(retry, work.request)
                work.random = random()
                outcome = await work.attempt(next)
            }
        }
    }

    /// Waits before a retry; after a loss of the connection at most until the network returns.
    private nonisolated(nonsending) func pause(_ retry: ScheduledRetry, _ request: Request) async throws {
        let pause = CallWait(retry.delay, request.call, time)
        guard let gate, case .error(let kind) = retry.reason, ConnectivityRule.isLoss(kind) else {
            return try await pause.wait()
        }
        let giveUp = gate.whenNextBack { pause.wake() }
        defer { giveUp() }
        try await pause.wait()
    }
}
