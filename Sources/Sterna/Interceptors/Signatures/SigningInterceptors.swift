import SternaCore

/// Records the origin of a signed call's first request, above redirects. With a base URL, the session's signers do not sign requests
/// to other origins.
struct SigningOriginInterceptor: Interceptor {
    /// The origin of the session's base URL; nil without one.
    let base: Origin?

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard request.isSigned else { return try await next(request) }
        let origin = request.url.origin
        var request = request
        request.state.course.signing = SigningTrail(from: origin, isSessions: base == nil || base == origin)
        return try await next(request)
    }
}

/// Has the signer of a stage sign each attempt.
struct SigningInterceptor: Interceptor {
    let stage: SigningStage
    let offsets: ClockOffsets
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let trail = request.state.course.signing, let choice = request.options[SigningKey.self][stage],
            let signer = choice.signer, choice.isOfRequest || trail.isSessions,
            signer.signs(request.url, trail, dropsCredentials: request.state.access.dropsCredentials)
        else { return try await next(request) }
        return try await signer.send(request, offsets, on: time, next: next)
    }
}
