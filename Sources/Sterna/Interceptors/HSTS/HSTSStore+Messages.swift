import SternaCore

extension HSTSStore {
    /// Returns the request with an https URL if its host must be reached over TLS. The first call reads the file.
    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) func upgraded(_ request: Request) async -> Request {
        // An unusable file is an error of `save()`, not of requests.
        if !isLoaded { try? await load() }
        guard requiresTLS(request.url), let url = HSTSRule.upgraded(request.url) else { return request }
        var request = request
        request.url = url
        return request
    }

    /// Returns whether a URL's host must be reached over TLS.
    func requiresTLS(_ url: HTTPURL) -> Bool { !isUnused && (HSTSName(url).map(requiresTLS) ?? false) }

    /// Learns from the field of a network response over a verified connection.
    func learn(from response: Response, _ url: HTTPURL) {
        // Only the first of several lines counts (RFC 6797, 8.1).
        guard HSTSRule.mayLearn(from: url, isVerified: true), let name = HSTSName(url),
            let line = response.section[values: .strictTransportSecurity].first,
            let field = StrictTransportSecurity(line)
        else { return }
        note(field, from: name)
    }
}
