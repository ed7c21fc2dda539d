import SternaCore

/// The reason why a server is not trusted: the failed check, the certificate, and the remedy.
///
/// It is the `underlying` cause of a ``SternaError`` of kind `certificateRejected`.
public struct TrustFailure: Error, Sendable, Hashable {
    /// A check.
    public enum Check: String, Sendable, Hashable, Codable, CaseIterable {
        /// There is a chain, within the size limits.
        case presented
        /// The certificate can be read.
        case readable
        /// Root certificates can be read.
        case roots
        /// The certificate is for the host (RFC 9525).
        case hostName
        /// The certificate is valid now.
        case validity
        /// The certificate leads to a trusted root.
        case issuer
        /// The signature uses an algorithm that cannot be forged.
        case signatureAlgorithm
        /// Keys are neither too weak nor too large.
        case keySize
        /// Keys may be used for this purpose (RFC 5280, 4.2.1.3).
        case keyUsage
        /// Certificates are for servers (RFC 5280, 4.2.1.12).
        case extendedKeyUsage
        /// Issuers are authorities, and within the allowed number (RFC 5280, 4.2.1.9).
        case basicConstraints
        /// Issuers may issue for this name (RFC 5280, 4.2.1.10).
        case nameConstraints
        /// All critical extensions are known (RFC 5280, 4.2).
        case criticalExtension
        /// Certificates have the form that RFC 5280 requires (4.1 and 4.2), even in parts that have no effect here.
        case form
        /// The search for a path stays within its limits.
        case complexity
        /// The chain contains a pinned key or certificate.
        case pin
        /// An evaluator or a challenge handler accepts the server.
        case evaluator
        /// The policy is usable, and the host has one if it needs one.
        case policy
    }

    /// The check that failed.
    public var check: Check

    /// The problem, as a clause.
    public var reason: String

    /// The remedy, as a sentence; empty if there is no general one.
    public var advice: String

    /// The certificate that failed.
    public var certificate: CertificateSummary?

    /// The certificates that the server presented, its own first; only readable ones.
    public var presented: [CertificateSummary] = []

    /// Makes a failure, for custom evaluators.
    public init(
        _ check: Check, _ reason: String, advice: String = "", certificate: CertificateSummary? = nil
    ) {
        self.check = check
        self.reason = reason
        self.advice = advice
        self.certificate = certificate
    }
}

extension TrustFailure: CustomStringConvertible {
    /// The problem, the certificate and the remedy.
    public var description: String {
        var text = reason
        if let certificate { text += " (certificate: \(certificate))" }
        return advice.isEmpty ? text : "\(text). \(advice)"
    }
}
