/// The sources of credentials, in the order in which they are tried.
enum CredentialSource: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// The user information of the request's URL.
    case url
    /// ``RequestSettings/Auth/credential``.
    case request
    /// ``SessionSettings/Auth/credential``.
    case session
    /// The remembered credential of an earlier request; ``AuthenticationPolicy/remembersCredential``.
    case remembered
    /// ``SessionSettings/Auth/credentialStore``.
    case store
    /// ``SessionSettings/Auth/netrc``.
    case netrc
    /// A closure of the task, or a handler of the request or of the session.
    case handler

    /// Whether the caller chose the credential for this request or this session, rather than for a protection space.
    var isExplicit: Bool { self <= .remembered }

    /// Whether credentials of the source are the same for every request of the session.
    var isOfSession: Bool { (CredentialSource.session ... .netrc).contains(self) }

    /// Whether the program's code supplies the credential, which may take long and send requests.
    var waitsForUser: Bool { self == .store || self == .handler }

    static func < (left: CredentialSource, right: CredentialSource) -> Bool { left.rawValue < right.rawValue }
}
