import SternaCore

/// Records the request that the interceptor above passes on, and the response that it receives; see ``SternaCore/CallTrace``.
struct TraceInterceptor: Interceptor {
    /// Whether no further interceptor of the program follows.
    var isLast = false

    /// Returns the program's interceptors with a trace below each.
    ///
    /// - Parameter isLast: whether no further interceptor of the program follows.
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
