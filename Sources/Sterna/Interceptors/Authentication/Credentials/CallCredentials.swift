import SternaCore
import Synchronization

/// The credentials that the caller chose for one call, for the origin of its first request alone.
final class CallCredentials: Sendable {
    let origin: Origin
    private let url: Credential?
    private let request: Credential?
    private let session: Credential?

    /// The user that the URL names; nil for none.
    let user: String?

    // Never false again: what a redirect to another origin has dropped does not come back, not even there.
    private let hasLeft = Atomic(false)

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

    /// Takes note of the origin of a request that is about to be sent.
    func visit(_ origin: Origin) {
        if origin != self.origin { hasLeft.store(true, ordering: .relaxed) }
    }

    /// Whether the request chose a credential of its own.
    var hasOwn: Bool { url != nil || request != nil }

    /// Returns the credential of a source at an origin; nil for none.
    func credential(_ source: CredentialSource, at origin: Origin) -> Credential? {
        guard origin == self.origin, !hasLeft.load(ordering: .relaxed) else { return nil }
        return switch source {
        case .url: url
        case .request: request
        case .session: session
        case .store, .netrc, .handler: nil
        }
    }
}

/// Leads from a request to the credentials of its call.
enum CallCredentialsKey: RequestOptionKey {
    static var defaultValue: CallCredentials? { nil }
}
