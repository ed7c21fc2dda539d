import SternaCore

/// Stores the state in network responses: cookies, HSTS hosts and alternative services. Clears the state that a response asks to
/// clear (Clear-Site-Data).
///
/// It is below the cache, since a stored response must not change the state again.
struct NetworkStateInterceptor: Interceptor {
    let state: NetworkState

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let response = try await next(state.isUnused ? request : state.added(to: request))
        let fields = StateFields(of: response.section)
        guard !fields.isEmpty || response.status.code == 421 else { return response }
        await state.take(fields, from: response, to: request)
        return response
    }
}
