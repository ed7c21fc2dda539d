import SternaCore

/// The credentials of one call, valid only for the origin of its first request, and the user information of its current URL.
final class CallCredentials: Sendable {
    let origin: Origin
    private let request: Credential?
    private let session: Credential?
    private let userinfo: OfURL?

    private typealias OfURL = (origin: Origin, credential: Credential)

    /// Makes the credentials of a call; nil if it has none.
    ///
    /// - Parameters:
    ///   - url: the URL of the call's first request, with its user information.
    ///   - session: the session's credential, if the URL has the session's own origin.
    init?(url: HTTPURL, request: Credential?, session: Credential?) {
        guard url.userinfo != nil || request != nil || session != nil else { return nil }
        origin = url.origin
        self.request = request
        self.session = session
        userinfo = Self.userinfo(of: url)
    }

    private init(_ former: CallCredentials, userinfo: OfURL?) {
        (origin, request, session) = (former.origin, former.request, former.session)
        self.userinfo = userinfo
    }

    private static func userinfo(of url: HTTPURL) -> OfURL? {
        url.userinfo?.credential.map { (url.origin, $0) }
    }

    /// Returns the credentials after a redirect, with the user information of the new URL instead of the former URL's.
    static func replacingUserinfo(of known: CallCredentials?, by url: HTTPURL?) -> CallCredentials? {
        guard let known else { return url.flatMap { CallCredentials(url: $0, request: nil, session: nil) } }
        return CallCredentials(known, userinfo: url.flatMap { userinfo(of: $0) })
    }

    /// Returns the user in the current URL if it has this origin; nil without one.
    func user(at origin: Origin) -> String? { userinfo?.origin == origin ? userinfo?.credential.user : nil }

    /// Whether any source has a credential for one of the call's requests.
    func hasAny(for request: Request) -> Bool {
        [.url, .request, .session].contains { credential($0, for: request) != nil }
    }

    /// Returns the credential of a source for one of the call's requests; nil for none.
    ///
    /// Credentials that a redirect to another origin has dropped are not used by the requests after it, even if a redirect leads
    /// back. Other requests of the call, such as a download's next range, use them. User information belongs to its URL, and is
    /// never sent to another origin, even if the redirect policy keeps credentials.
    func credential(_ source: CredentialSource, for request: Request) -> Credential? {
        if source == .url { return userinfo?.origin == request.url.origin ? userinfo?.credential : nil }
        let isOwnOrigin = request.url.origin == origin && !request.state.access.dropsCredentials
        guard isOwnOrigin || request.options[RedirectPolicyKey.self].keepsCredentialsAcrossOrigins else { return nil }
        return switch source {
        case .request: self.request
        case .session: session
        case .url, .remembered, .store, .netrc, .handler: nil
        }
    }
}
