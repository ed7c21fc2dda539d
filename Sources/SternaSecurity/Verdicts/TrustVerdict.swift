/// A policy's verdict on a server's certificates.
public enum TrustVerdict: Sendable, Hashable {
    /// The certificates lead to a trusted root, are for that host, and contain the pins.
    case trusted
    /// The certificates fail, but the policy, an evaluator or the challenge handler accepts them.
    case overlooked
    /// The certificates fail.
    case rejected(TrustFailure)

    /// Whether the connection may be used.
    public var isAccepted: Bool { failure == nil }

    /// The reason for a rejection; nil otherwise.
    public var failure: TrustFailure? {
        if case .rejected(let failure) = self { failure } else { nil }
    }
}

/// A server's certificates, and the verdict on them.
public struct TrustEvaluation: Sendable, Hashable {
    /// The requested name or address.
    public let host: String

    /// The presented certificates, in DER, the server's own first. Only the first one is proven to be the server's.
    public let presented: [[UInt8]]

    /// The chain to a trusted root, in DER, the server's certificate first; empty if there is none. For a pinned certificate that
    /// is otherwise invalid, the server's certificate only, or the chain to the pinned one.
    public let chain: [[UInt8]]

    /// The verdict.
    public let verdict: TrustVerdict

    /// The time for checking validity, in seconds since 1970.
    public let time: Double

    /// The presented certificates that are readable.
    public var certificates: [CertificateSummary] { presented.compactMap(CertificateSummary.init) }

    func with(_ verdict: TrustVerdict) -> TrustEvaluation {
        TrustEvaluation(host: host, presented: presented, chain: chain, verdict: verdict, time: time)
    }
}
