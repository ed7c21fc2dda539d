import SternaCore

extension HSTSStore {
    /// Returns a request with an https URL if its host is to be reached by TLS only; the file is read before the first one.
    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) func upgraded(_ request: Request) async -> Request {
        // A file that cannot be used is an error of `save()`, not of requests.
        if !isLoaded { try? await load() }
        guard requiresTLS(request.url), let url = HSTSRule.upgraded(request.url) else { return request }
        var request = request
        request.url = url
        return request
    }

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
