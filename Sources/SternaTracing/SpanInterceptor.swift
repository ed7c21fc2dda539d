import Sterna
import SternaCore
import Tracing

/// Begins a span for each request, runs the rest of the chain in its context, and ends it with the response's body.
struct SpanInterceptor: Interceptor {
    let tracers: TracerChoice

    /// `client` at the end of the chain, `internal` at its beginning.
    let kind: SpanKind

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard let tracer = tracers.current else { return try await next(request) }
        return try await trace(request, by: tracer, next)
    }

    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func trace(
        _ request: Request, by tracer: any Tracer, _ next: Chain
    ) async throws -> Response {
        let span = RequestSpan(of: request, kind, by: tracer)
        var sent = request
        if kind == .client { span.prepare(&sent, by: tracer) }
        do {
            let response = try await ServiceContext.$current.withValue(span.context) { [sent] in try await next(sent) }
            return span.received(response)
        } catch {
            span.fail(error)
            throw error
        }
    }
}
