import HTTPTypes
import SternaCore
import SternaTransport

/// Answers challenges (407) of proxies that forward requests for http URLs, with the credentials of the proxies (Digest) and with
/// ``ProxySettings/authenticator``.
///
/// If a request cannot be resent, the caller receives the 407. Challenges to CONNECT are answered during the dial.
struct ProxyAuthenticationInterceptor: Interceptor {
    let sender: EngineSender

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        // A switch of protocols goes through a tunnel, whose challenges the dial answers.
        guard !request.url.scheme.isSecure, request.delivery != .duplex,
            var credentials = try sender.forwardedCredentials(for: request.url)
        else {
            return try await next(request)
        }
        while true {
            var current = request
            try await credentials.apply(to: &current)
            var response = try await next(current)
            guard response.status.code == 407 else {
                do {
                    try credentials.accepted(by: response)
                } catch {
                    response.body.cancel()
                    throw error.at(request)
                }
                return response
            }
            switch credentials.step(after: response, to: request) {
            case .deliver: return response
            case .again: break
            case .ask:
                // The authenticator may need the connection for requests of its own.
                response.body = await response.body.collected()
                do {
                    guard try await credentials.ask(response, about: request) else { return response }
                } catch {
                    response.body.cancel()
                    throw error
                }
            }
            response.body.cancel()
            request.recorder?.expect(.authentication)
        }
    }
}
