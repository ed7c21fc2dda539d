import SternaCore

/// Takes from the responses of the network what a session remembers: cookies, hosts that want TLS only, and alternative services. It
/// forgets what a response asks to forget (Clear-Site-Data).
///
/// It stands below the cache, which must not repeat what a server once said.
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
