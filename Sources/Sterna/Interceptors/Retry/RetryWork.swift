import HTTPTypes
import NIOCore
import SternaCore

/// The attempts of one request, and the decision after each.
struct RetryWork {
    enum Step {
        /// Returns the outcome to the caller.
        case deliver
        case fail(any Error)
        case retry(ScheduledRetry)
    }

    /// The request without the changes of adapters.
    private(set) var request: Request

    /// The random number of the next decision, from 0 to 1.
    var random: Double

    private let clock: NetworkClock
    private let ledger: RetryLedger
    private let policy: RetryPolicy
    private let handlers: RetryHandlers
    private let began: NIODeadline

    /// When the first attempt began, before any redirect.
    private let firstBegan: NIODeadline

    /// The retries of this request, and those of the requests that redirected to it.
    private var retries = 0
    private let formerRetries: Int
    private var reason: RetryReason?

    init(
        _ request: Request, _ clock: NetworkClock, _ ledger: RetryLedger, _ handlers: RetryHandlers, _ random: Double
    ) {
        self.request = request
        self.clock = clock
        self.ledger = ledger
        self.random = random
        policy = request.options[RetryPolicyKey.self]
        self.handlers = handlers.changed(by: request.state.choices.retryHandlers)
        began = clock.now
        formerRetries = request.state.course.formerRetries
        let history = request.state.course.history
        firstBegan = history?.began(at: began) ?? began
        guard policy.addsIdempotencyKey, !policy.isOff, !policy.methods.contains(request.method),
            !IdempotencyKey.isSet(in: request), let field = IdempotencyKey.field
        else { return }
        self.request.headers[field] = history?.idempotencyKey ?? RetryHistory.newKey()
    }

    private var progress: RetryProgress {
        RetryProgress(retries: retries, elapsed: .nanoseconds((clock.now - began).nanoseconds), reason: reason)
    }

    // MARK: Attempts

    /// Makes an attempt with an adapted request.
    nonisolated(nonsending) mutating func attempt(_ next: Chain) async -> Result<Response, any Error> {
        do {
            var adapted = request
            for adapter in handlers.adapters {
                adapted = try await adapter.adapt(adapted, progress)
                adapted.continues(request)
            }
            return .success(try await next(adapted))
        } catch {
            return .failure(error)
        }
    }

    /// Records and reports a retry after a wait.
    mutating func schedule(_ retry: ScheduledRetry) {
        retries += 1
        reason = retry.reason
        request.recorder?.retryScheduled(retry)
    }

    /// Returns the response or throws the error, with the number of its retries or attempts.
    func deliver(_ outcome: Result<Response, any Error>) throws -> Response {
        do {
            var response = try outcome.get()
            if retries > 0 { response.retries = formerRetries + retries }
            return response
        } catch {
            guard retries > 0, var known = error as? SternaError else { throw error }
            known.attempt += retries
            throw known
        }
    }

    // MARK: Decisions

    /// Decides after an attempt, or after reading its body.
    ///
    /// Calls the task's closure `needNewBody` if the request's body can be read only once; a response's body is read off its
    /// connection before.
    nonisolated(nonsending) mutating func decide(_ outcome: inout Result<Response, any Error>) async -> Step {
        if case .failure(let error) = outcome, Self.isCancellation(error) { return .deliver }
        for retrier in handlers.retriers {
            switch await retrier.retry(request, after: Self.shown(outcome), progress) {
            case .undecided: continue
            case .deliver: return .deliver
            case .fail(let error): return .fail(error)
            case .retry(let delay): return await step(.requested(after: delay), &outcome)
            }
        }
        switch outcome {
        case .success(let response):
            let status = response.status.code
            // The cache would return the same response again.
            guard response.source != .cache else { return .deliver }
            guard policy.statuses.contains(status) || policy.deferredStatuses.contains(status) else { return .deliver }
            return await step(
                .response(status: status, retryAfter: RetryAfter.delay(response.section)), &outcome)
        case .failure(let error):
            guard let known = error as? SternaError, !known.refusesIdentity else { return .deliver }
            return await step(.failure(known.kind), &outcome)
        }
    }

    private nonisolated(nonsending) mutating func step(
        _ reason: RetryRule.Outcome, _ outcome: inout Result<Response, any Error>
    ) async -> Step {
        var decision = decision(reason, hasNewBody: false)
        if case .deliver(.body) = decision, let events = request.state.course.events {
            if case .success(var response) = outcome {
                response.body = await response.body.collected()
                outcome = .success(response)
            }
            if let body = await events.newBody(for: request) {
                request.body = body
                decision = self.decision(reason, hasNewBody: true)
            }
        }
        switch decision {
        case .deliver: return .deliver
        case .retry(let delay, let reason):
            return .retry(ScheduledRetry(reason: reason, delay: delay, number: retries + 1))
        }
    }

    private func decision(_ outcome: RetryRule.Outcome, hasNewBody: Bool) -> RetryRule.Decision {
        let now = clock.now
        let progress = RetryRule.Progress(
            retries: retries, formerRetries: formerRetries,
            elapsed: .nanoseconds((now - firstBegan).nanoseconds),
            timeLeft: request.deadline.map { .nanoseconds(($0.instant - now).nanoseconds) },
            isCancelled: Task.isCancelled || request.call?.isCancelled == true)
        return RetryRule.decide(
            request, outcome, policy, progress, random: random, hasNewBody: hasNewBody,
            budget: ledger.withdraw(policy.budget, request.url.origin, at: now))
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? SternaError)?.kind == .cancelled
    }

    private static func shown(_ outcome: Result<Response, any Error>) -> RetryOutcome {
        switch outcome {
        case .success(var head):
            head.body = ResponseBody()
            return .response(head)
        case .failure(let error): return .failure(error)
        }
    }
}
