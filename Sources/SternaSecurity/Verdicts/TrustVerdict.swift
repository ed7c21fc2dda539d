/// What a policy says of a server's certificates.
public enum TrustVerdict: Sendable, Hashable {
    /// They lead to a trusted root, are for that host, and hold what is pinned.
    case trusted
    /// They do not, and the policy, or somebody it asks, accepts them all the same.
    case overlooked
    /// They do not.
    case rejected(TrustFailure)

    /// Whether the connection may be used.
    public var isAccepted: Bool { failure == nil }

    /// Why not.
    public var failure: TrustFailure? {
        if case .rejected(let failure) = self { failure } else { nil }
    }
}

/// A server's certificates, and what was found of them.
public struct TrustEvaluation: Sendable, Hashable {
    /// The name or address that was asked for.
    public let host: String

    /// The certificates that the server presented, in DER, its own first. Only the first one is known to be the server's.
    public let presented: [[UInt8]]

    /// The chain that leads to a trusted root, in DER, the server's certificate first; empty where there is none.
    public let chain: [[UInt8]]

    /// What was found.
    public let verdict: TrustVerdict

    /// The moment at which validity was judged, in seconds since 1970.
    public let time: Double

    /// The presented certificates that can be read.
    public var certificates: [CertificateSummary] { presented.compactMap(CertificateSummary.init) }

    func with(_ verdict: TrustVerdict) -> TrustEvaluation {
        TrustEvaluation(host: host, presented: presented, chain: chain, verdict: verdict, time: time)
    }
}
