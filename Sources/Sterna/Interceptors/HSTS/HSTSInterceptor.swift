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
        guard store.requiresTLS(request.url), let url = HSTSRule.upgraded(request.url) else {
            return try await next(request)
        }
        var request = request
        request.url = url
        return try await next(request)
    }
}

extension HSTSStore {
    /// Whether a URL's host is to be reached by TLS only.
    func requiresTLS(_ url: HTTPURL) -> Bool { !isUnused && (HSTSName(url).map(requiresTLS) ?? false) }

    /// Learns from a response of the network, over a verified connection, whether its host wants TLS only.
    func learn(from response: Response, _ url: HTTPURL) {
        // Of several lines only the first counts (RFC 6797, 8.1).
        guard HSTSRule.mayLearn(from: url, isVerified: true), let name = HSTSName(url),
            let line = response.section[values: .strictTransportSecurity].first,
            let field = StrictTransportSecurity(line)
        else { return }
        note(field, from: name)
    }
}
