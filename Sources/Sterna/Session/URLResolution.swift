import SternaCore

/// Resolves the references of a session's requests, and decides where requests may be sent.
struct URLResolution: Sendable {
    /// The base URL, whose path ends in a slash; nil for none.
    let base: HTTPURL?

    /// Whether an absolute reference may lead to an origin other than the base URL's.
    let allowsOtherOrigins: Bool

    /// Returns the URL of a request, including its user information.
    ///
    /// Throws `invalidURL`, and `originRefused` for a URL of another origin if none is allowed.
    func url(of reference: any URLConvertible) throws(SternaError) -> HTTPURL {
        let url = try Self.resolve(reference, against: base)
        guard url.scheme == .http || url.scheme == .https else {
            throw SternaError(
                .invalidURL, phase: .prepare, "A request goes to an http or https URL, not to \(url.scheme.rawValue).")
        }
        if let own = ownOrigin, !allowsOtherOrigins, url.origin != own {
            throw SternaError(
                .originRefused, phase: .prepare,
                "\(url.origin) is not the session's own origin, \(own); set network.allowsOtherOrigins to send "
                    + "requests there (without the session's credentials).")
        }
        return url
    }

    /// Returns the http or https URL of a request that asks for a change of protocol; its reference may be a ws or wss URL.
    func handshakeURL(of reference: any URLConvertible) throws(SternaError) -> HTTPURL {
        try Self.resolve(reference, against: base).forHandshake()
    }

    /// The origin of the base URL; a ws URL and an http URL have the same.
    private var ownOrigin: Origin? { base?.forHandshake().origin }

    /// Whether a URL has the base URL's origin, so that the session's secrets may be sent there; always true without a base URL.
    func isOwnOrigin(_ url: HTTPURL) -> Bool {
        guard let own = ownOrigin else { return true }
        return own == url.origin
    }

    /// Returns the base URL of a reference: its path ends in a slash, with nothing after it.
    static func base(of reference: some URLConvertible) throws(SternaError) -> HTTPURL {
        let url = try resolve(reference, against: nil)
        guard !url.path.hasSuffix("/") || url.query != nil || url.fragment != nil else { return url }
        // Resolved relative to its own folder, since a path that begins with two slashes would be parsed as an authority.
        let last = url.path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        do {
            return try HTTPURL(last.isEmpty ? "." : "./\(last)/", relativeTo: url)
        } catch {
            throw invalid(error)
        }
    }

    private static func resolve(_ reference: some URLConvertible, against base: HTTPURL?) throws(SternaError) -> HTTPURL
    {
        do {
            return try reference.resolve(against: base)
        } catch {
            throw invalid(error)
        }
    }

    private static func invalid(_ error: HTTPURL.ParseError) -> SternaError {
        SternaError(.invalidURL, phase: .prepare, "\(error)", underlying: error)
    }
}
