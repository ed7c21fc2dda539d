/// A check of one's own, made behind all others: of a revocation list, say, or of what is known of a host.
///
/// It is given the chain, the host and the verdict so far, and gives the verdict that holds. Every evaluator of a policy is
/// asked in order, each with what the one before it said; a careful one gives a rejection on as it is.
public final class TrustEvaluator: Sendable {
    let evaluate: @Sendable (TrustEvaluation) async -> TrustVerdict

    /// Makes an evaluator of a closure, which may take its time but not longer than the handshake's time-out.
    ///
    /// Its task is cancelled when the connection is given up: the request was cancelled or timed out, or the server has gone.
    /// What a cancelled closure returns is not looked at.
    public init(_ evaluate: @escaping @Sendable (TrustEvaluation) async -> TrustVerdict) { self.evaluate = evaluate }

    /// Trusts whom another policy trusts too.
    public convenience init(_ policy: SecurityPolicy) {
        self.init { evaluation in
            guard evaluation.verdict.isAccepted else { return evaluation.verdict }
            let other = await policy.evaluate(chain: evaluation.presented, host: evaluation.host, time: evaluation.time)
            return other.verdict.isAccepted ? evaluation.verdict : other.verdict
        }
    }
}

/// What is asked while a connection is opened; AFNetworking's authentication challenge.
public struct AuthenticationChallenge: Sendable {
    /// What is asked for.
    public enum Subject: Sendable {
        /// Whether the server is to be trusted; the policy's own verdict is in it.
        case serverTrust(TrustEvaluation)
        /// Which identity is shown where the server asks for one.
        case clientIdentity
    }

    /// What is asked for.
    public let subject: Subject

    /// The host that the connection goes to.
    public let host: String

    /// Its port.
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
        /// What the policy says: its verdict, its identity.
        case useDefault
        /// The server is trusted, whatever the policy says.
        case accept
        /// The connection is not used.
        case reject(reason: String)
        /// The identity that is shown.
        case identity(ClientIdentity)
    }

    package let answer: @Sendable (AuthenticationChallenge) async -> Answer

    /// Makes a handler of a closure; it is asked twice for each new connection over TLS, first for the identity. Its task is
    /// cancelled when the connection is given up.
    public init(_ answer: @escaping @Sendable (AuthenticationChallenge) async -> Answer) { self.answer = answer }
}

// Two are the same where they are one object: nothing can be known of closures.
extension TrustEvaluator: Hashable {
    public static func == (left: TrustEvaluator, right: TrustEvaluator) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ChallengeHandler: Hashable {
    public static func == (left: ChallengeHandler, right: ChallengeHandler) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
