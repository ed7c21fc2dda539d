import SternaCore

/// Why a server is not trusted: which check failed, for which certificate, and what to do.
///
/// It is the `underlying` cause of a ``SternaError`` of kind `certificateRejected`.
public struct TrustFailure: Error, Sendable, Hashable {
    /// What was looked at.
    public enum Check: String, Sendable, Hashable, Codable, CaseIterable {
        /// That there is a chain, of a size that can be looked at.
        case presented
        /// That the certificate can be read.
        case readable
        /// That root certificates can be read.
        case roots
        /// That the certificate is for the host (RFC 9525).
        case hostName
        /// That it is valid now.
        case validity
        /// That it leads to a trusted root.
        case issuer
        /// That nobody can forge the signature.
        case signatureAlgorithm
        /// That keys are neither too weak nor too large.
        case keySize
        /// That keys may be used for this (RFC 5280, 4.2.1.3).
        case keyUsage
        /// That certificates are for servers (RFC 5280, 4.2.1.12).
        case extendedKeyUsage
        /// That issuers are authorities, and as many as allowed (RFC 5280, 4.2.1.9).
        case basicConstraints
        /// That issuers may issue for this name (RFC 5280, 4.2.1.10).
        case nameConstraints
        /// That there is no critical extension that nobody knows here (RFC 5280, 4.2).
        case criticalExtension
        /// That certificates have the form that RFC 5280 demands of them (4.1 and 4.2), even of parts that decide nothing here.
        case form
        /// That the search for a path ends soon.
        case complexity
        /// That the chain holds a pinned key or certificate.
        case pin
        /// What an evaluator or a challenge handler said.
        case evaluator
        /// That the policy makes sense, and that there is one for the host.
        case policy
    }

    /// The check that failed.
    public var check: Check

    /// What is wrong, as a clause.
    public var reason: String

    /// What to do about it, as a sentence; empty where nothing general can be said.
    public var advice: String

    /// The certificate that failed.
    public var certificate: CertificateSummary?

    /// What the server presented, its own first; only certificates that could be read.
    public var presented: [CertificateSummary] = []

    /// Makes a failure, as an evaluator of one's own does.
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
    /// What is wrong, of which certificate, and what to do.
    public var description: String {
        var text = reason
        if let certificate { text += " (certificate: \(certificate))" }
        return advice.isEmpty ? text : "\(text). \(advice)"
    }
}
