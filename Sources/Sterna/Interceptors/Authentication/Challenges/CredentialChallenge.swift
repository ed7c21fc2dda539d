public import SternaCore

/// A server's demand for credentials (401), as a handler receives it; the counterpart of URLSession's authentication challenge.
///
/// The credentials that the session's other settings have for the protection space were tried before.
public struct CredentialChallenge: Sendable {
    /// The URL of the request, without user information.
    public let url: HTTPURL

    /// The method of the request.
    public let method: Request.Method

    /// The protection space that the credential is for.
    public let space: ProtectionSpace

    /// The strongest scheme that the server offers and the session allows.
    public let scheme: AuthenticationScheme

    /// All challenges of the server, in its order.
    public let challenges: [AuthenticationChallenge]

    /// The credentials that the server has refused so far for this request, in order.
    public let rejected: [Credential]

    /// The head of the response, without its body.
    public let response: Response

    /// The number of credentials that the server has refused so far for this request; URLSession's `previousFailureCount`.
    public var previousFailures: Int { rejected.count }
}

/// A handler's decision on a ``CredentialChallenge``.
public enum ChallengeDisposition: Sendable {
    /// Sends the request again with a credential; `stores` saves it in the session's credential store once the server has accepted
    /// it.
    ///
    /// A credential that the server has refused for this request is not sent again: the caller receives the 401.
    case use(Credential, stores: Bool = false)

    /// Leaves the decision to the next handler; after the last one, the caller receives the 401.
    case useDefault

    /// Fails the request with `cancelled`.
    case cancel

    /// Fails the request with `authenticationFailed`, with this error as the `underlying` one; a ``SternaCore/SternaError`` is
    /// thrown as it is.
    case fail(any Error)
}

/// Answers the challenges of servers; compared by identity, since closures cannot be compared.
final class ServerChallengeHandler: Sendable {
    typealias Answer = @Sendable (CredentialChallenge) async throws -> ChallengeDisposition

    let answer: Answer

    init(_ answer: @escaping Answer) { self.answer = answer }
}
