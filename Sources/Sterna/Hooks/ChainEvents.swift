import SternaCore
import Synchronization

/// The way from the chain of a task's call to the task's hooks and observers.
struct ChainEvents: Sendable {
    // The call keeps its requests, and these their options.
    private weak let task: SessionTask?
    private let events: TaskEvents

    /// Makes the way to a task; nil if it has neither hooks nor observers.
    init?(_ task: SessionTask) {
        guard let events = task.events else { return nil }
        self.task = task
        self.events = events
    }

    /// Asks the hook `redirect`; nil keeps the decision of the policy.
    func decide(on response: Response, _ proposed: Request) async -> RedirectDecision? {
        guard let hook = events.hooks.redirect, let task else { return nil }
        return await events.mailbox.ask { await hook(task, response, proposed) }
    }

    /// Reports what happens to a redirect.
    func decided(_ response: Response, _ decision: RedirectDecision) {
        task?.post(.redirectDecided(response, decision))
    }

    /// Asks the hook `needNewBody` for the content of a request that has to be sent again; nil for none.
    func newBody(for request: Request) async -> Body? {
        guard let task else { return nil }
        guard let hook = events.hooks.needNewBody else {
            task.post(.newBodyNeeded(request, nil))
            return nil
        }
        let body: Body?? = await events.mailbox.ask {
            guard !task.isSilent else { return nil }
            let body = await hook(task, request)
            events.tell(.newBodyNeeded(request, body), of: task)
            return body
        }
        return body ?? nil
    }

    // MARK: Retries

    /// Reports that a request is to be sent again after a wait.
    func retryScheduled(_ request: Request, _ retry: ScheduledRetry) { task?.post(.retryScheduled(request, retry)) }

    /// Reports that a request is sent again now.
    func retried(_ request: Request) {
        task?.post(.taskRetried(request, (request.call?.attempts ?? 0) + 1))
    }

    // MARK: Challenges

    /// Whether a hook answers the challenges of servers.
    var answersChallenges: Bool { events.hooks.challengeReceived != nil }

    /// Asks the hook `challengeReceived`; nil without it, and if it leaves the decision to others.
    func answer(_ challenge: CredentialChallenge) async -> ChallengeDisposition? {
        guard let hook = events.hooks.challengeReceived, let task else { return nil }
        let answer: ChallengeDisposition? = await events.mailbox.ask {
            guard !task.isSilent else { return .cancel }
            return await hook(task, challenge)
        }
        if case .useDefault? = answer { return nil }
        return answer
    }

    /// Reports what happens to a challenge.
    func answered(_ challenge: CredentialChallenge, _ disposition: ChallengeDisposition) {
        task?.post(.challengeReceived(challenge, disposition))
    }

    // MARK: Application interceptors

    /// Records the request that the application interceptors receive.
    func enter(_ request: Request) { events.adaptation.withLock { $0 = TaskEvents.Adaptation(entered: request) } }

    /// Reports the request that they pass on, if they have changed it.
    func passed(_ request: Request) {
        let entered = events.adaptation.withLock { state in
            state?.hasPassed = true
            return state?.entered
        }
        guard let entered, !request.isUnchangedCopy(of: entered) else { return }
        task?.post(.requestAdapted(entered, request))
    }

    /// Reports the error of an interceptor that passed no request on, unless the call was cancelled.
    func failed(_ error: any Error, _ request: Request) {
        let hasPassed = events.adaptation.withLock { $0?.hasPassed } ?? true
        guard !hasPassed else { return }
        let known = ErrorDescription.describe(error, of: request, at: request.call?.trace?.point)
        if known.kind != .cancelled { task?.post(.adaptationFailed(request, known)) }
    }

    /// Forgets the request, as its interceptors have returned.
    func leave() { events.adaptation.withLock { $0 = nil } }
}

/// Watches what the application interceptors of a session with hooks or observers make of a request.
struct AdaptationInterceptor: Interceptor {
    /// Whether the application interceptors follow, rather than precede.
    let isAbove: Bool

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let events = request.state.events else { return try await next(request) }
        guard isAbove else {
            events.passed(request)
            return try await next(request)
        }
        events.enter(request)
        defer { events.leave() }
        do {
            return try await next(request)
        } catch {
            events.failed(error, request)
            throw error
        }
    }
}
