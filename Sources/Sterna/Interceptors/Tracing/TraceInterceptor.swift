import SternaCore

/// Records what a user's interceptor passes on and receives; see ``SternaCore/CallTrace``.
struct TraceInterceptor: Interceptor {
    /// Whether no interceptor of the user follows.
    var isLast = false

    /// Returns interceptors of the user with a trace below each.
    ///
    /// - Parameter isLast: whether none of the user's follows.
    static func traced(_ interceptors: [any Interceptor], isLast: Bool) -> [any Interceptor] {
        interceptors.enumerated().flatMap { index, interceptor -> [any Interceptor] in
            [interceptor, TraceInterceptor(isLast: isLast && index == interceptors.count - 1)]
        }
    }

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let trace = request.call?.trace else { return try await next(request) }
        trace.passed(request)
        do {
            let response = try await next(request)
            trace.returned(response)
            return response
        } catch {
            if let known = error as? SternaError {
                trace.ended(.failure(known))
            } else if isLast, !(error is CancellationError) {
                trace.ended(.transportFailure)
            }
            throw error
        }
    }
}
