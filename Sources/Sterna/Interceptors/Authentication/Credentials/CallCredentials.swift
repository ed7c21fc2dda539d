import SternaCore

/// The credentials that the caller chose for one call, for the origin of its first request alone.
final class CallCredentials: Sendable {
    let origin: Origin
    private let url: Credential?
    private let request: Credential?
    private let session: Credential?

    /// The user that the URL names; nil for none.
    let user: String?

    /// Returns nil if there are none.
    ///
    /// - Parameters:
    ///   - url: the URL of the call's first request, with its user information.
    ///   - session: the session's credential, if the URL has the session's own origin.
    init?(url: HTTPURL, request: Credential?, session: Credential?) {
        let userinfo = url.userinfo
        guard userinfo != nil || request != nil || session != nil else { return nil }
        origin = url.origin
        self.url = userinfo?.credential
        user = self.url?.user
        self.request = request
        self.session = session
    }

    /// Returns the credential of a source for one of the call's requests; nil for none.
    ///
    /// What a redirect to another origin has dropped does not come back in the requests that follow on it, not even there. Other
    /// requests of the call, such as a download's next range, have it.
    func credential(_ source: CredentialSource, for request: Request) -> Credential? {
        let isOwnOrigin = request.url.origin == origin && !request.options[CallerCredentialsDroppedKey.self]
        guard isOwnOrigin || request.options[RedirectPolicyKey.self].keepsCredentialsAcrossOrigins else { return nil }
        return switch source {
        case .url: url
        case .request: self.request
        case .session: session
        case .store, .netrc, .handler: nil
        }
    }
}

/// Leads from a request to the credentials of its call.
enum CallCredentialsKey: RequestOptionKey {
    static var defaultValue: CallCredentials? { nil }
}
