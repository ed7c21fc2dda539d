import FoundationEssentials
import SternaCore
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// What a policy says of a server's certificates.
public enum TrustVerdict: Sendable, Hashable {
    /// They lead to a trusted root and are for that host.
    case trusted
    /// They were not looked at: the policy accepts invalid ones.
    case overlooked
    /// They do not.
    case rejected(reason: String)

    /// Whether the connection may be used.
    public var isAccepted: Bool {
        if case .rejected = self { false } else { true }
    }
}

extension SecurityPolicy {
    /// How many certificates a server may present.
    static let maximumPresentedCertificates = 16

    /// Judges the certificates that a server presented, leaf first, each in DER.
    ///
    /// - Parameters:
    ///   - host: the name or address that was asked for, not the socket's.
    ///   - time: seconds since 1970, or nil for now.
    public func judge(chain: [[UInt8]], host: String, time: Double? = nil) async -> TrustVerdict {
        // Nothing could change the verdict, so no roots are read for it.
        if allowsInvalidCertificates { return .overlooked }
        return await check(chain: chain, host: host, time: time)
    }

    private func check(chain: [[UInt8]], host: String, time: Double?) async -> TrustVerdict {
        guard !chain.isEmpty else { return .rejected(reason: "the server presented no certificate") }
        guard chain.count <= Self.maximumPresentedCertificates else {
            return .rejected(reason: "the server presented \(chain.count) certificates, more than any chain needs")
        }
        let leaf: Certificate
        do {
            leaf = try Certificate(derEncoded: chain[0])
        } catch {
            return .rejected(reason: "the server's certificate cannot be read: its form, or its key, is not one in use")
        }
        // What cannot be read cannot help: the chain is then judged without it.
        let intermediates = chain.dropFirst().compactMap { try? Certificate(derEncoded: $0) }
        let roots: RootStore.Roots
        do {
            roots = try RootStore.shared.roots(self.roots)
        } catch {
            return .rejected(reason: error.detail)
        }
        if roots.certificates.contains(leaf) {
            return Self.judgeRoot(leaf, host: host, now: time.map { Date(timeIntervalSince1970: $0) } ?? Date())
        }
        var verifier = Verifier(rootCertificates: roots.store) {
            if let time {
                RFC5280Policy(fixedExpiryValidationTime: Date(timeIntervalSince1970: time))
            } else {
                RFC5280Policy()
            }
            ChainRules(host: host)
        }
        let presented = PresentedCertificates(intermediates)
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(custom: presented))
        switch result {
        case .validCertificate: return .trusted
        case .couldNotValidate where presented.isExhausted:
            return .rejected(reason: "the certificates presented lead to each other in too many ways")
        case .couldNotValidate(let failures):
            return .rejected(
                reason: Self.explain(
                    leaf, failures: failures.map { "\($0.policyFailureReason)" }, host: host, roots: roots, time: time))
        }
    }

    /// A certificate that is itself among the roots was chosen for what it is: only its time and its names are looked at.
    private static func judgeRoot(_ leaf: Certificate, host: String, now: Date) -> TrustVerdict {
        if leaf.notValidAfter < now {
            return .rejected(reason: "the certificate expired on \(day(leaf.notValidAfter))")
        }
        if leaf.notValidBefore > now {
            return .rejected(reason: "the certificate is not valid before \(day(leaf.notValidBefore))")
        }
        let names = ChainRules.identity(of: leaf)
        return names.covers(host)
            ? .trusted : .rejected(reason: "the certificate is for \(names.shown), not for \(host)")
    }

    /// Says which of the usual things is wrong; the verifier's own words are for those who know its code.
    private static func explain(
        _ leaf: Certificate, failures: [String], host: String, roots: RootStore.Roots, time: Double?
    ) -> String {
        let now = time.map { Date(timeIntervalSince1970: $0) } ?? Date()
        if leaf.notValidAfter < now { return "the certificate expired on \(day(leaf.notValidAfter))" }
        if leaf.notValidBefore > now {
            return "the certificate is not valid before \(day(leaf.notValidBefore)); is this machine's clock right?"
        }
        let names = ChainRules.identity(of: leaf)
        if !names.covers(host) { return "the certificate is for \(names.shown), not for \(host)" }
        if let own = failures.first(where: { $0.hasPrefix("it ") }) { return "the certificate is refused: \(own)" }
        if leaf.issuer == leaf.subject, failures.isEmpty {
            return
                "the certificate is signed by itself, not by an authority among the \(roots.count) roots of \(roots.source)"
        }
        guard let reason = failures.first else {
            return
                "its issuer (\(FieldSyntax.printable("\(leaf.issuer)"))) does not lead to any of the \(roots.count) roots of "
                + roots.source
        }
        return "the chain is refused: \(FieldSyntax.printable(reason))"
    }

    private static func day(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day())
    }
}
