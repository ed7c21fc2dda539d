import Sterna

/// Credentials as a command line gives them, and as a session keeps them.
enum EnteredCredentials: Hashable, Sendable {
    /// Which schemes a password is sent by.
    enum Scheme: String, Sendable {
        case basic, digest
        /// Whatever scheme the server asks for; nothing is sent before.
        case asked
    }

    /// A nil scheme sends Basic at once, and Digest if the server asks for it.
    case user(String, password: String, by: Scheme?)
    case token(String)

    /// Whether only Digest is used, so that the server must ask first.
    var isDigest: Bool {
        if case .user(_, password: _, by: .digest) = self { true } else { false }
    }

    /// How they are sent.
    var given: CredentialOptions.Given {
        switch self {
        case .token(let token): return CredentialOptions.Given(authorization: .bearer(token))
        case .user(let user, let password, by: .basic):
            return CredentialOptions.Given(authorization: .basic(user, password))
        case .user(let user, let password, by: .digest):
            var policy = AuthenticationPolicy.standard
            policy.schemes = [.digest]
            return CredentialOptions.Given(credential: Credential(user: user, password: password), policy: policy)
        case .user(let user, let password, by: .asked):
            return CredentialOptions.Given(credential: Credential(user: user, password: password))
        case .user(let user, let password, by: nil):
            return CredentialOptions.Given(
                authorization: .basic(user, password), credential: Credential(user: user, password: password))
        }
    }
}
