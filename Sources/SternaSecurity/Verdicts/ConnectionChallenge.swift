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

/// Decides about challenges.
public struct ChallengeHandler: Sendable, Hashable {
    /// The decision about a challenge; the counterpart of URLSession's.
    public enum Disposition: Sendable {
        /// Uses the policy's verdict or identity.
        case useDefault
        /// Trusts the server, regardless of the policy; for an identity, the same as ``useDefault``.
        case accept
        /// Closes the connection.
        case reject(reason: String)
        /// Presents this identity; for a server's trust, the same as ``useDefault``.
        case identity(ClientIdentity)
    }

    /// Equal only to itself, since closures cannot be compared.
    private final class Closure: Sendable, Hashable {
        let run: @Sendable (ConnectionChallenge) async -> Disposition

        init(_ run: @escaping @Sendable (ConnectionChallenge) async -> Disposition) { self.run = run }

        static func == (left: Closure, right: Closure) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let closure: Closure

    /// Makes a handler of a closure, which is called twice for each new connection over TLS, first for the identity. Its task is
    /// cancelled when the connection is no longer needed. Two handlers are equal only if one is a copy of the other.
    public init(_ decide: @escaping @Sendable (ConnectionChallenge) async -> Disposition) { closure = Closure(decide) }

    package func disposition(for challenge: ConnectionChallenge) async -> Disposition { await closure.run(challenge) }
}
