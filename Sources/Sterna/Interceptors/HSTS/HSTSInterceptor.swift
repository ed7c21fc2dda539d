import SternaCore

/// Sends requests to hosts that want TLS only by https.
///
/// It stands below redirects and retries, so that each hop is upgraded, and above cookies and authentication, which then see the URL
/// that is used.
struct HSTSInterceptor: Interceptor {
    let store: HSTSStore

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard !request.url.scheme.isSecure, !store.isUnused else { return try await next(request) }
        return try await upgrade(request, next)
    }

    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func upgrade(_ request: Request, _ next: Chain) async throws -> Response {
        // A file that cannot be used is an error of `save()`, not of requests.
        if !store.isLoaded { try? await store.load() }
        guard let name = HSTSName(request.url), store.requiresTLS(name), let url = HSTSRule.upgraded(request.url) else {
            return try await next(request)
        }
        var request = request
        request.url = url
        return try await next(request)
    }
}

/// Learns from the responses of the network which hosts want TLS only.
///
/// It stands below the cache, which must not repeat what a host once said.
struct HSTSLearningInterceptor: Interceptor {
    let store: HSTSStore

    /// Whether the connections to a host are opened without exceptions to the rules for certificates.
    let isVerified: @Sendable (Origin) -> Bool

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let response = try await next(request)
        learn(from: response, to: request.url)
        return response
    }

    private func learn(from response: Response, to url: HTTPURL) {
        // Of several lines only the first counts (RFC 6797, 8.1).
        guard url.scheme.isSecure, let line = response.section[values: .strictTransportSecurity].first,
            HSTSRule.mayLearn(from: url, isVerified: isVerified(url.origin)), let name = HSTSName(url),
            let field = StrictTransportSecurity(line)
        else { return }
        store.note(field, from: name)
    }
}
