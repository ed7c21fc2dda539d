import SternaCore
import Synchronization

/// Passes decisions and events from the chain of a task's call to the task's closures and to observers.
struct ChainEvents: Sendable {
    // Weak: the call retains its requests, and these retain their state.
    private weak let task: SessionTask?
    private let decider: TaskDecider?
    private let events: TaskEvents?

    /// Creates the link to a task; nil if the task has no deciding closures and its events are not observed.
    init?(_ task: SessionTask) {
        guard task.decider != nil || task.events != nil else { return nil }
        self.task = task
        (decider, events) = (task.decider, task.events)
    }

    /// Asks the closure `redirect`; nil keeps the decision of the policy.
    func decide(on response: Response, _ proposed: Request) async -> RedirectDecision? {
        guard let decider, let decide = decider.decisions.redirect, let task else { return nil }
        return await decider.callbackQueue.ask { await decide(task, response, proposed) }
    }

    /// Posts the decision on a redirect.
    func decided(_ response: Response, _ decision: RedirectDecision) {
        task?.post(.redirectDecided(response.withoutBody, decision))
    }

    /// Asks the closure `needNewBody` for the content of a request that has to be sent again; nil for none.
    func newBody(for request: Request) async -> Body? {
        guard let task else { return nil }
        var body: Body?
        if let decider, let decide = decider.decisions.needNewBody {
            let given: Body?? = await decider.callbackQueue.ask { task.isSilent ? nil : await decide(task, request) }
            body = given ?? nil
        }
        task.post(.newBodyNeeded(request, isProvided: body != nil))
        return body
    }

    // MARK: Challenges

    /// Whether a closure of the task answers the challenges of servers.
    var answersChallenges: Bool { decider?.decisions.challengeReceived != nil }

    /// Asks the closure `challengeReceived`; nil without it, and if it returns `useDefault`.
    func answer(_ challenge: CredentialChallenge) async -> ChallengeDisposition? {
        guard let decider, let decide = decider.decisions.challengeReceived, let task else { return nil }
        let answer: ChallengeDisposition? = await decider.callbackQueue.ask {
            guard !task.isSilent else { return .cancel }
            return await decide(task, challenge)
        }
        if case .useDefault? = answer { return nil }
        return answer
    }

    /// Posts the disposition of a challenge.
    func answered(_ challenge: CredentialChallenge, _ disposition: ChallengeDisposition) {
        let observed: ObservedChallenge.Disposition =
            switch disposition {
            case .use: .credential
            case .useDefault: .none
            case .cancel: .cancel
            case .fail: .fail
            }
        task?.post(
            .challengeReceived(
                ObservedChallenge(
                    scheme: challenge.scheme.rawValue, realm: challenge.space.realm,
                    previousFailures: challenge.previousFailures, disposition: observed)))
    }

    // MARK: Application interceptors

    /// Records the request that the application interceptors receive.
    func enter(_ request: Request) { events?.adaptation.withLock { $0 = TaskEvents.Adaptation(entered: request) } }

    /// Posts the request that the application interceptors pass on, if they have changed it.
    func passed(_ request: Request) {
        let entered = events?.adaptation.withLock { state in
            state?.hasPassed = true
            return state?.entered
        }
        guard let entered = entered ?? nil, !request.isUnchangedCopy(of: entered) else { return }
        task?.post(.requestAdapted(from: entered, to: request))
    }

    /// Posts the error of an interceptor that passed no request on, unless the call was cancelled.
    func failed(_ error: any Error, _ request: Request) {
        let hasPassed = events?.adaptation.withLock { $0?.hasPassed }
        guard hasPassed == false else { return }
        let known = ErrorDescription.describe(error, of: request, at: request.call?.trace?.point)
        if known.kind != .cancelled { task?.post(.adaptationFailed(request, known)) }
    }

    /// Discards the recorded request, since the application interceptors have returned.
    func leave() { events?.adaptation.withLock { $0 = nil } }
}
