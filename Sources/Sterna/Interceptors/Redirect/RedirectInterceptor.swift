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
            switch RedirectRule.decide(current, response, policy: policy, count: steps.count) {
            case .deliver:
                response.redirects = steps
                return response
            case .refuse(var error):
                response.body.cancel()
                response.redirects = steps
                error.response = response
                error.requestSent = true
                throw error.at(current)
            case .follow(var following):
                switch await request.options[RedirectHookKey.self]?(response, following) {
                case nil: break
                case .follow(let changed):
                    following = changed
                    // A request that the hook made itself still belongs to this call.
                    if let call = request.call { following.join(call) }
                case .deliver:
                    response.redirects = steps
                    return response
                case .refuse:
                    response.body.cancel()
                    response.redirects = steps
                    var error = SternaError(
                        .redirectRefused, phase: .read, "The hook redirect refused to follow the redirect.")
                    error.response = response
                    error.requestSent = true
                    throw error.at(current)
                }
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
}
