import SternaCore

/// Follows redirects.
struct RedirectInterceptor: Interceptor {
    /// The hosts that must be reached over TLS; http targets of redirects are upgraded.
    var hsts: HSTSStore?

    /// The tokens of the session's requests.
    var tokens: TokenAuthentication?

    /// The maximum size of a collected body, in bytes.
    let collectedBytes: Int

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = RetryHistory.added(to: request)
        // Upgraded here, so that everything below uses the final URL: credentials, cookies, and limits by origin.
        if let hsts, !hsts.isUnused, !request.url.scheme.isSecure { request = await hsts.upgraded(request) }
        let response = try await next(request)
        guard response.status.code / 100 == 3 else { return response }
        return try await follow(response, to: request, next)
    }

    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func follow(_ response: Response, to request: Request, _ next: Chain) async throws
        -> Response
    {
        var response = response
        var policy = request.options[RedirectPolicyKey.self]
        let closures = RedirectClosures(request)
        var current = request
        var steps: [RedirectStep] = []
        if let hsts, !hsts.isUnused, !hsts.isLoaded { try? await hsts.load() }
        while true {
            policy.referrer = policy.referrer?.updated(by: response)
            switch await decision(current, response, policy, steps, closures) {
            case .deliver: return try await keep(response, to: current, after: steps)
            case .keep:
                response.isKeptRedirect = true
                return try await keep(response, to: current, after: steps)
            case .refuse(var error), .confirm(_, otherwise: var error):
                response.body.cancel()
                response.redirects = steps
                error.response = response
                error.requestSent = true
                throw error.at(current)
            case .follow(let following):
                steps.append(RedirectStep(url: current.url, status: response.status.code))
                current.state.course.link?.redirected(response, following)
                response.body.cancel()
                current = following
                if response.retries > 0 { current.state.course.formerRetries = response.retries }
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
                // A target that was not retried itself does not count the retries before it.
                let former = current.state.course.formerRetries
                if response.retries < former { response.retries = former }
            }
        }
    }

    /// Returns a redirect response that is not followed, with its body read if the call collects it.
    private nonisolated(nonsending) func keep(
        _ response: Response, to request: Request, after steps: [RedirectStep]
    ) async throws -> Response {
        var response = response
        response.redirects = steps
        let reading = BodyReading(of: response, to: request, collectedBytes: collectedBytes, isFinal: true)
        guard let reading else { return response }
        return try await BodyReadingInterceptor.read(response, to: request, by: reading)
    }

    /// Returns the decision of the closures, or the policy's without closures.
    nonisolated(nonsending) private func decision(
        _ request: Request, _ response: Response, _ policy: RedirectPolicy, _ steps: [RedirectStep],
        _ closures: RedirectClosures?
    ) async -> RedirectRule.Decision {
        let requiresTLS = { @Sendable [hsts] (url: HTTPURL) in hsts?.requiresTLS(url) ?? false }
        let decision = RedirectRule.decide(
            request, response, policy: policy, after: steps, tokens: tokens, requiresTLS: requiresTLS)
        guard let closures else { return decision }
        let answer = await closures.decide(decision, request, response, policy) { renewed in
            RedirectRule.decide(
                renewed, response, policy: policy, after: steps, hasNewBody: true, tokens: tokens,
                requiresTLS: requiresTLS)
        }
        guard case .follow(var following) = answer else { return answer }
        // A request that a closure has made itself must be read like the first one.
        following.delivery = request.delivery
        return .follow(following)
    }
}
