import SternaCore
import SternaTransport

/// A challenge that can be answered.
struct ChallengeCandidate: Sendable {
    enum Scheme: Sendable, Hashable {
        case basic
        case digest(DigestChallenge)
        case bearer

        var name: AuthenticationScheme {
            switch self {
            case .basic: .basic
            case .digest: .digest
            case .bearer: .bearer
            }
        }

        /// Whether the password or the token itself is sent.
        var sendsSecret: Bool { name != .digest }

        /// Returns whether the scheme can use a credential: Bearer uses tokens, the others names and passwords.
        func fits(_ credential: Credential) -> Bool { (credential.user == nil) == (name == .bearer) }

        /// Higher numbers are stronger.
        fileprivate var strength: Int {
            switch self {
            case .bearer: 0
            case .basic: 1
            case .digest(let digest): 2 + 2 * digest.algorithm.strength + (digest.isLegacy ? 0 : 1)
            }
        }
    }

    let scheme: Scheme
    let space: ProtectionSpace

    /// Returns the challenges that can be answered, the strongest first; equally strong ones in the server's order.
    ///
    /// - Parameter canHashBody: whether the request's body can be hashed, as Digest with only `auth-int` requires.
    static func candidates(
        _ challenges: [AuthenticationChallenge], at origin: Origin, policy: AuthenticationPolicy, canHashBody: Bool
    ) -> [ChallengeCandidate] {
        var found: [ChallengeCandidate] = []
        for challenge in challenges {
            let scheme: Scheme
            if challenge.hasScheme("Basic"), challenge.token == nil {
                scheme = .basic
            } else if challenge.hasScheme("Bearer"), challenge.token == nil {
                scheme = .bearer
            } else if let digest = DigestChallenge(challenge), canHashBody || !digest.needsBodyHash {
                scheme = .digest(digest)
            } else {
                continue
            }
            guard policy.schemes.contains(scheme.name) else { continue }
            found.append(
                ChallengeCandidate(scheme: scheme, space: ProtectionSpace(origin: origin, realm: challenge.realm)))
        }
        // The offsets keep the server's order: sorting need not be stable.
        return found.enumerated().sorted {
            ($1.element.scheme.strength, $0.offset) < ($0.element.scheme.strength, $1.offset)
        }.map(\.element)
    }
}
