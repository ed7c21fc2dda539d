import SternaCore

/// Records what a user's interceptor passes on and receives; see ``SternaCore/CallTrace``.
struct TraceInterceptor: Interceptor {
    /// Whether no interceptor of the user follows.
    var isLast = false

    /// Returns a chain with a trace below each of the user's interceptors, and one above the network interceptors, since a redirect
    /// starts anew.
    static func chain(
        application: [any Interceptor], policies: [any Interceptor], network: [any Interceptor]
    ) -> [any Interceptor] {
        var chain: [any Interceptor] = []
        for (index, interceptor) in application.enumerated() {
            let isLast = network.isEmpty && index == application.count - 1
            chain.append(interceptor)
            chain.append(TraceInterceptor(isLast: isLast))
        }
        chain += policies
        if !network.isEmpty { chain.append(TraceInterceptor()) }
        for (index, interceptor) in network.enumerated() {
            chain.append(interceptor)
            chain.append(TraceInterceptor(isLast: index == network.count - 1))
        }
        return chain
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
                trace.failed(.failure(known))
            } else if isLast, !(error is CancellationError) {
                trace.failed(.transportFailure)
            }
            throw error
        }
    }
}
