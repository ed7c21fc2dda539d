import SternaCore

/// Follows redirects.
struct RedirectInterceptor: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let response = try await next(request)
        guard response.status.code / 100 == 3 else { return response }
        return try await follow(response, to: request, next)
    }

    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func follow(_ response: Response, to request: Request, _ next: Chain) async throws
        -> Response
    {
        var response = response
        let policy = request.options[RedirectPolicyKey.self]
        var current = request
        var steps: [RedirectStep] = []
        while true {
            switch await decision(current, response, policy, steps.count) {
            case .deliver:
                response.redirects = steps
                return response
            case .refuse(var error):
                response.body.cancel()
                response.redirects = steps
                error.response = response
                error.requestSent = true
                throw error.at(current)
            case .follow(let following):
                steps.append(RedirectStep(url: current.url, status: response.status.code))
                response.body.cancel()
                current = following
                current.recorder?.expect(.redirect)
                do {
                    response = try await next(current)
                } catch {
                    guard var known = error as? SternaError else {
                        request.call?.trace?.followed(steps)
                        throw error
                    }
                    known.redirects = steps
                    throw known
                }
            }
        }
    }

    /// Returns the decision of the policy, or that of a task's hooks, and reports it to them.
    nonisolated(nonsending) private func decision(
        _ request: Request, _ response: Response, _ policy: RedirectPolicy, _ count: Int
    ) async -> RedirectRule.Decision {
        let decision = RedirectRule.decide(request, response, policy: policy, count: count)
        guard let events = request.options[ChainEventsKey.self] else { return decision }
        return await decided(decision, request, response, policy, count, events)
    }

    private func decided(
        _ first: RedirectRule.Decision, _ request: Request, _ response: Response, _ policy: RedirectPolicy,
        _ count: Int, _ events: ChainEvents
    ) async -> RedirectRule.Decision {
        var decision = first
        if case .refuse(let error) = decision, error.kind == .bodyNotReplayable {
            var renewed = request
            if let body = await events.newBody(for: request) {
                renewed.body = body
                decision = RedirectRule.decide(renewed, response, policy: policy, count: count, hasNewBody: true)
            }
        }
        switch decision {
        case .deliver: return .deliver
        case .refuse: events.decided(response, .refuse)
        case .follow(let proposed):
            let answer = await events.decide(on: response, proposed) ?? .follow(proposed)
            events.decided(response, answer)
            switch answer {
            case .deliver: return .deliver
            case .follow(var following):
                // A request that the hook made itself still belongs to this call, and a later redirect finds the hooks again.
                if let call = request.call { following.join(call) }
                following.options[ChainEventsKey.self] = events
                following.options[BodyReadingKey.self] = request.options[BodyReadingKey.self]
                following.delivery = request.delivery
                return .follow(following)
            case .refuse:
                return .refuse(
                    SternaError(
                        .redirectRefused, phase: .read, "The hook redirect refused to follow the redirect."))
            }
        }
        return decision
    }
}
