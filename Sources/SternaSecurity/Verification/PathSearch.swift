import SternaCore
import SternaPlatform
import SwiftASN1
import X509

/// Searches for a path from a server's certificate to a trusted root (RFC 5280, 6).
struct PathSearch: Sendable {
    /// The maximum number of certificates that a server may present.
    static let maximumCertificates = 64

    /// The maximum size of a certificate in bytes.
    static let maximumBytes = 64 << 10

    var host: String
    var checksHost: Bool
    /// The time at which certificates must be valid, in seconds since 1970.
    var now: Double

    enum Result: Sendable {
        /// The chain, in order from leaf to root.
        case valid([CheckedCertificate])
        case invalid(TrustFailure)
    }

    /// Evaluates the certificates that a server presented, its own first, with a set of roots.
    func run(_ presented: [[UInt8]], roots: RootStore.Roots) async -> Result {
        if let failure = Self.unreadable(presented) { return .invalid(failure) }
        guard let leaf = presented.first.flatMap(CheckedCertificate.init) else {
            return .invalid(Self.unreadableLeaf(presented.first ?? []))
        }
        // Unreadable certificates cannot help: the chain is evaluated without them.
        let others = presented.dropFirst().compactMap(CheckedCertificate.init)
        if let count = ([leaf] + others).map(\.raw.nameCount).max(), count > NameRules.maximumNames {
            return .invalid(
                TrustFailure(
                    .complexity,
                    "a certificate is for \(count) names, more than the \(NameRules.maximumNames) that are checked"))
        }
        let findings = ChainRules.Findings([leaf] + others)
        let rules = ChainRules(
            host: host, checksHost: checksHost, now: Date(timeIntervalSince1970: now), findings: findings)
        if roots.certificates.contains(leaf.certificate) { return chosen(leaf, rules) }
        var verifier = Verifier(rootCertificates: roots.store) { rules }
        let candidates = PresentedCertificates(others)
        switch await verifier.validate(leaf: leaf.certificate, intermediates: CertificateStore(custom: candidates)) {
        case .validCertificate(let chain):
            let checked = chain.compactMap { CheckedCertificate($0) }
            guard checked.count == chain.count else {
                return .invalid(TrustFailure(.readable, "a certificate of the chain cannot be read again"))
            }
            return .valid(checked)
        case .couldNotValidate:
            if let failure = findings.failure { return .invalid(failure) }
            if candidates.isExhausted {
                return .invalid(
                    TrustFailure(
                        .complexity, "the presented certificates form too many possible chains",
                        certificate: leaf.summary))
            }
            let unread = presented.dropFirst().filter { CheckedCertificate($0) == nil }
            return .invalid(explain(leaf, others, unread: unread, rules, roots))
        }
    }

    private static func unreadable(_ presented: [[UInt8]]) -> TrustFailure? {
        guard !presented.isEmpty else {
            return TrustFailure(.presented, "the server presented no certificate")
        }
        guard presented.count <= maximumCertificates else {
            return TrustFailure(
                .presented, "the server presented \(presented.count) certificates, more than any chain needs")
        }
        guard presented.allSatisfy({ $0.count <= maximumBytes }) else {
            return TrustFailure(.presented, "the server presented a certificate of more than \(maximumBytes >> 10) KiB")
        }
        return nil
    }

    /// Returns the reason why the X.509 library cannot read a certificate, as far as it is known.
    private static func unreadableLeaf(_ der: [UInt8]) -> TrustFailure {
        if let raw = RawCertificate(der) {
            if let reason = KeyStrength.refusal(of: raw) {
                return TrustFailure(.keySize, "the certificate is refused: \(reason)")
            }
            if let hash = raw.forgeableHash {
                return TrustFailure(.signatureAlgorithm, "the certificate is signed with \(hash), which can be forged")
            }
        }
        return TrustFailure(
            .readable, "the server's certificate cannot be read: its encoding or its key type is not supported")
    }

    /// Checks a leaf that is itself among the roots, and therefore needs no issuer.
    private func chosen(_ leaf: CheckedCertificate, _ rules: ChainRules) -> Result {
        let failure =
            rules.validity(of: leaf) ?? ChainRules.refusedUsage(of: leaf)
            ?? KeyStrength.refusal(of: leaf.raw).map {
                TrustFailure(.keySize, "the certificate is refused: \($0)", certificate: leaf.summary)
            } ?? (checksHost ? ChainRules.wrongHost(leaf, host) : nil)
        return failure.map(Result.invalid) ?? .valid([leaf])
    }

    /// Returns the likely reason why no path was found.
    private func explain(
        _ leaf: CheckedCertificate, _ others: [CheckedCertificate], unread: [[UInt8]], _ rules: ChainRules,
        _ roots: RootStore.Roots
    ) -> TrustFailure {
        let own = leaf.certificate
        if let failure = rules.validity(of: leaf) { return failure }
        if checksHost, let failure = ChainRules.wrongHost(leaf, host) { return failure }
        if let failure = ChainRules.weakness(of: leaf) ?? ChainRules.refusedUsage(of: leaf) { return failure }
        for raw in unread.compactMap(RawCertificate.init) {
            if let reason = KeyStrength.refusal(of: raw) {
                return TrustFailure(.keySize, "one of its issuers is refused: \(reason)", certificate: leaf.summary)
            }
        }
        if let failure = strangeIssuer(of: leaf, others, roots) { return failure }
        if own.issuer == own.subject {
            return TrustFailure(
                .issuer,
                "the certificate is self-signed, not issued by one of the \(roots.count) roots of \(roots.source)",
                advice: "If it is the right one, trust it as a root, or pin its key.",
                certificate: leaf.summary)
        }
        return TrustFailure(
            .issuer,
            "its issuer (\(FieldSyntax.printable("\(own.issuer)", limit: 300))) does not lead to any of the \(roots.count) roots of "
                + roots.source,
            advice:
                "Either the server leaves out a certificate in between, or its authority is not trusted here; add the "
                + "authority's certificate to the roots if it should be.", certificate: leaf.summary)
    }

    /// Returns a failure for an issuer, by its name, whose unknown critical extension makes the search skip it.
    private func strangeIssuer(
        of leaf: CheckedCertificate, _ others: [CheckedCertificate], _ roots: RootStore.Roots
    ) -> TrustFailure? {
        // Follows the issuer names up from the leaf, each once.
        let bySubject = Dictionary(grouping: others, by: \.certificate.subject)
        var names: Set<DistinguishedName> = []
        var next = [leaf.certificate.issuer]
        while let name = next.popLast() {
            guard names.insert(name).inserted else { continue }
            next += (bySubject[name] ?? []).map(\.certificate.issuer)
        }
        return others.lazy.filter { names.contains($0.certificate.subject) }
            .compactMap { ChainRules.strangeExtension(of: $0) }.first
            ?? roots.certificates.lazy.filter { names.contains($0.subject) }.compactMap { CheckedCertificate($0) }
            .compactMap { ChainRules.strangeExtension(of: $0) }.first
    }
}
