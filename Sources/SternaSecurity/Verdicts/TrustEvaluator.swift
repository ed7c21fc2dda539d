/// A custom check that runs after all others, for example of a revocation list or of known facts about a host.
///
/// It receives the chain, the host and the verdict so far, and returns the new verdict. The evaluators of a policy run in order,
/// each with the verdict of the one before it; a careful one returns a rejection unchanged.
public final class TrustEvaluator: Sendable {
    let evaluate: @Sendable (TrustEvaluation) async -> TrustVerdict

    /// Makes an evaluator of a closure, which may take as long as the handshake's time-out.
    ///
    /// Its task is cancelled when the connection is given up: the request was cancelled or timed out, or the server closed the
    /// connection. The result of a cancelled closure is ignored.
    public init(_ evaluate: @escaping @Sendable (TrustEvaluation) async -> TrustVerdict) { self.evaluate = evaluate }

    /// Makes an evaluator that trusts only servers that another policy trusts, too.
    public convenience init(_ policy: SecurityPolicy) {
        self.init { evaluation in
            guard evaluation.verdict.isAccepted else { return evaluation.verdict }
            let other = await policy.evaluate(chain: evaluation.presented, host: evaluation.host, time: evaluation.time)
            return other.verdict.isAccepted ? evaluation.verdict : other.verdict
        }
    }
}

/// A decision while a connection is opened; AFNetworking's authentication challenge.
public struct AuthenticationChallenge: Sendable {
    /// The subject of a challenge.
    public enum Subject: Sendable {
        /// Whether to trust the server; carries the policy's own verdict.
        case serverTrust(TrustEvaluation)
        /// The identity to present if the server requests one.
        case clientIdentity
    }

    /// The subject of this challenge.
    public let subject: Subject

    /// The host of the connection.
    public let host: String

    /// The port of the connection.
    public let port: Int

    package init(_ subject: Subject, host: String, port: Int) {
        self.subject = subject
        self.host = host
        self.port = port
    }
}

/// Answers challenges.
public final class ChallengeHandler: Sendable {
    /// An answer.
    public enum Answer: Sendable {
        /// The policy's own verdict or identity.
        case useDefault
        /// Trusts the server, regardless of the policy.
        case accept
        /// Closes the connection.
        case reject(reason: String)
        /// Presents this identity.
        case identity(ClientIdentity)
    }

    package let answer: @Sendable (AuthenticationChallenge) async -> Answer

    /// Makes a handler of a closure, which is called twice for each new connection over TLS, first for the identity. Its task is
    /// cancelled when the connection is given up.
    public init(_ answer: @escaping @Sendable (AuthenticationChallenge) async -> Answer) { self.answer = answer }
}

// Equality is identity: closures cannot be compared.
extension TrustEvaluator: Hashable {
    public static func == (left: TrustEvaluator, right: TrustEvaluator) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ChallengeHandler: Hashable {
    public static func == (left: ChallengeHandler, right: ChallengeHandler) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
