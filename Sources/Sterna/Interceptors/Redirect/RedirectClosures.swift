import SternaCore

/// The closures that decide on a call's redirects, after its policy.
struct RedirectClosures {
    /// The request's closure, or the session's.
    private let handler: RedirectHandler?

    /// The decisions and events of the call's task; nil without a task.
    private let events: ChainEvents?

    /// Finds the closures of a request; nil if it has none.
    init?(_ request: Request) {
        handler = request.options[RedirectHandlerKey.self]
        events = request.state.course.events
        if handler == nil, events == nil { return nil }
    }

    /// Applies the closures to the policy's decision: first the request's or the session's, then the task's, which receives the
    /// request that the first returned. The result is reported as an event of the task.
    ///
    /// - Parameter again: repeats the policy's decision for a request with a new body.
    nonisolated(nonsending) func decide(
        _ first: RedirectRule.Decision, _ request: Request, _ response: Response, _ policy: RedirectPolicy,
        again: (Request) -> RedirectRule.Decision
    ) async -> RedirectRule.Decision {
        var decision = first
        if case .refuse(let error) = decision, error.kind == .bodyNotReplayable, let events {
            var renewed = request
            if let body = await events.newBody(for: request) {
                renewed.body = body
                decision = again(renewed)
            }
        }
        switch decision {
        case .deliver, .keep: return decision
        case .refuse:
            events?.decided(response, .refuse)
            return decision
        case .follow(let proposed):
            return await answer(response, proposed, policy) ?? follow(response, proposed)
        case .confirm(let proposed, let error):
            if let answered = await answer(response, proposed, policy) { return answered }
            events?.decided(response, .refuse)
            return .refuse(error)
        }
    }

    private func follow(_ response: Response, _ proposed: Request) -> RedirectRule.Decision {
        events?.decided(response, .follow(proposed))
        return .follow(proposed)
    }

    /// Returns the decision of the closures; nil if no closure has decided.
    nonisolated(nonsending) private func answer(
        _ response: Response, _ proposed: Request, _ policy: RedirectPolicy
    ) async -> RedirectRule.Decision? {
        var settled: RedirectRule.Decision?
        var current = proposed
        if let handler {
            settled = settle(
                await handler(response, proposed), proposed, policy, by: "The closure redirectHandler")
            guard case .follow(let changed) = settled else {
                return report(settled, response)
            }
            current = changed
        }
        if let own = await events?.decide(on: response, current) {
            settled = settle(own, current, policy, by: "The closure redirect")
        }
        return report(settled, response)
    }

    private func settle(
        _ answer: RedirectDecision, _ proposed: Request, _ policy: RedirectPolicy, by closure: String
    ) -> RedirectRule.Decision {
        switch answer {
        case .deliver: .keep
        case .follow(let changed): RedirectRule.settle(changed, proposed: proposed, policy: policy)
        case .refuse:
            .refuse(
                SternaError(.redirectRefused, phase: .read, "\(closure) refused to follow the redirect."))
        }
    }

    private func report(_ decision: RedirectRule.Decision?, _ response: Response) -> RedirectRule.Decision? {
        guard let events else { return decision }
        switch decision {
        case .follow(let request): events.decided(response, .follow(request))
        case .keep: events.decided(response, .deliver)
        case .refuse: events.decided(response, .refuse)
        case nil, .deliver, .confirm: break
        }
        return decision
    }
}
