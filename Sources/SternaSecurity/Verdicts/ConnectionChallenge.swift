/// A decision to make while a connection is opened: whether to trust the server, or which identity to present. The counterpart of
/// URLSession's session-level challenge. HTTP authentication has `AuthenticationChallenge`s instead.
public struct ConnectionChallenge: Sendable {
    /// The subject of a challenge.
    public enum Subject: Sendable {
        /// Whether to trust the server; carries the policy's evaluation.
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
        /// Uses the policy's verdict or identity.
        case useDefault
        /// Trusts the server, regardless of the policy; for an identity, the same as ``useDefault``.
        case accept
        /// Closes the connection.
        case reject(reason: String)
        /// Presents this identity; for a server's trust, the same as ``useDefault``.
        case identity(ClientIdentity)
    }

    package let answer: @Sendable (ConnectionChallenge) async -> Answer

    /// Makes a handler of a closure, which is called twice for each new connection over TLS, first for the identity. Its task is
    /// cancelled when the connection is no longer needed.
    public init(_ answer: @escaping @Sendable (ConnectionChallenge) async -> Answer) { self.answer = answer }
}

// Equality is identity: closures cannot be compared.
extension ChallengeHandler: Hashable {
    public static func == (left: ChallengeHandler, right: ChallengeHandler) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
