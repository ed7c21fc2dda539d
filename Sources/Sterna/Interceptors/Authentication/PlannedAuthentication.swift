import SternaCore
import Synchronization

/// The authentication of a session's requests: which requests pass the interceptor, and with which credentials.
final class PlannedAuthentication: Sendable {
    /// The interceptor of all requests; nil if no setting of the session enables it.
    let shared: AuthenticationInterceptor?

    // The interceptor of requests with a credential or a handler of their own, in a session without the shared one; made on first
    // use.
    private let own = Mutex<AuthenticationInterceptor?>(nil)
    private let settings: SessionSettings
    private let credential: Credential?

    /// The credentials of the last call that had only the session's, which most calls share.
    private let sharedCredentials = Mutex<CallCredentials?>(nil)

    /// Makes the authentication of a session, whose settings keep the memory that derived sessions share.
    init(_ settings: inout SessionSettings) {
        let isEnabled = settings.auth.challenges.isEnabled || settings.tasks.decisions?.challengeReceived != nil
        shared = isEnabled ? AuthenticationInterceptor(&settings) : nil
        credential = settings.auth.credential
        self.settings = settings
    }

    /// Returns whether a request needs an interceptor that the session's chain does not have.
    func isMissing(for request: Request) -> Bool {
        guard shared == nil else { return false }
        return request.state.access.credentials != nil || request.state.choices.ownChallengeHandler != nil
    }

    /// Returns the interceptor of requests with settings of their own.
    var interceptor: AuthenticationInterceptor {
        if let shared { return shared }
        return own.withLock { known in
            if let known { return known }
            var settings = settings
            let made = AuthenticationInterceptor(&settings)
            known = made
            return made
        }
    }

    /// Adds the credentials that answer challenges to the call of a request, whose URL still has its user information.
    ///
    /// - Parameter own: the request's own credential, if it was set; set to nil, it also disables the session's.
    func addCredentials(_ own: Credential??, isOwnOrigin: Bool, to request: inout Request) {
        let shared = isOwnOrigin && !own.isSetToNil() ? credential : nil
        let own = own.flattened()
        // Most requests have no credentials, and need no object.
        guard own != nil || shared != nil || request.url.userinfo != nil else { return }
        if own == nil, request.url.userinfo == nil {
            request.state.access.credentials = credentials(of: request.url, shared)
        } else if let credentials = CallCredentials(url: request.url, request: own, session: shared) {
            request.state.access.credentials = credentials
        }
    }

    private func credentials(of url: HTTPURL, _ shared: Credential?) -> CallCredentials? {
        let origin = url.origin
        return sharedCredentials.withLock { last in
            if last?.origin != origin { last = CallCredentials(url: url, request: nil, session: shared) }
            return last
        }
    }

    /// Returns whether a URL's user information may be sent without a challenge, by Basic.
    func allowsBasic(_ url: HTTPURL, _ own: RequestSettings) -> Bool {
        guard let userinfo = url.userinfo else { return true }
        let shared = settings.auth.challenges.policy
        let policy = own.state.choices.authentication?.over(shared ?? .standard) ?? shared
        guard let policy else { return true }
        return policy.schemes.contains(.basic) && !(policy.withholdsEmptyPasswords && userinfo.password.isEmpty)
    }
}
