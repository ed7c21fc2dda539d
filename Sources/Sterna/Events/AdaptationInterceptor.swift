import SternaCore

/// Records how the application interceptors of a session change the requests of tasks.
struct AdaptationInterceptor: Interceptor {
    /// Whether it stands above the application interceptors, rather than below them.
    let isAbove: Bool

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let events = request.state.course.events else { return try await next(request) }
        guard isAbove else {
            events.passed(request)
            return try await next(request)
        }
        events.enter(request)
        defer { events.leave() }
        do {
            return try await next(request)
        } catch {
            events.failed(error, request)
            throw error
        }
    }
}
