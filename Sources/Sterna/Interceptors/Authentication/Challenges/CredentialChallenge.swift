public import SternaCore

/// A server's demand for credentials (401), as a handler sees it: URLSession's and AFNetworking's authentication challenge.
///
/// The credentials that the session has for the protection space were tried before.
public struct CredentialChallenge: Sendable {
    /// The URL of the request, without user information.
    public let url: HTTPURL

    /// The method of the request.
    public let method: Request.Method

    /// The protection space that an answer is for.
    public let space: ProtectionSpace

    /// The strongest scheme that the server offers and the session allows.
    public let scheme: AuthenticationScheme

    /// All challenges of the server, in its order.
    public let challenges: [AuthenticationChallenge]

    /// The credentials that the server has refused so far for this request, in order; URLSession's `previousFailureCount` is their number.
    public let rejected: [Credential]

    /// The head of the server's answer.
    public let response: Response

    /// The number of credentials that the server has refused so far for this request.
    public var previousFailures: Int { rejected.count }
}

/// What a handler answers to a ``CredentialChallenge``.
public enum ChallengeDisposition: Sendable {
    /// Sends the request again with a credential; `stores` keeps it in the session's credential store once the server has accepted it.
    ///
    /// A credential that the server has refused for this request is not sent again: the caller receives the 401.
    case use(Credential, stores: Bool = false)

    /// Goes on as without the handler: the next one is asked, and at last the caller receives the 401.
    case useDefault

    /// Cancels the call.
    case cancel

    /// Fails the request with `authenticationFailed`, and this error as the `underlying` one.
    case fail(any Error)
}

/// Answers the challenges of servers; compared by identity, since closures cannot be compared.
final class ServerChallengeHandler: Sendable {
    typealias Answer = @Sendable (CredentialChallenge) async throws -> ChallengeDisposition

    let answer: Answer

    init(_ answer: @escaping Answer) { self.answer = answer }
}
