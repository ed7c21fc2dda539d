import SternaCore
import SternaPlatform
import SwiftASN1
import Synchronization
import X509

/// The rules for a chain of leaf to root (RFC 5280, 6.1, and RFC 9525); the search checks signatures and issuer names.
///
/// They replace the X.509 library's policy, which gives no reason for a rejection, ignores the host and key usage, and applies name
/// constraints to self-issued authorities.
struct ChainRules: VerifierPolicy, Sendable {
    var host: String
    var checksHost: Bool
    var now: Date
    let findings: Findings

    /// Collects the results and costs of one search.
    final class Findings: Sendable {
        private let first = Mutex<TrustFailure?>(nil)
        private let comparisons = Mutex(NameRules.maximumComparisons)

        /// Certificates that were already read, by their signed bytes.
        private let known: [ArraySlice<UInt8>: CheckedCertificate]

        init(_ known: [CheckedCertificate] = []) {
            self.known = Dictionary(known.map { ($0.certificate.tbsCertificateBytes, $0) }) { first, _ in first }
        }

        /// The failure of the first path that led to a root.
        var failure: TrustFailure? { first.withLock { $0 } }

        func add(_ failure: TrustFailure) { first.withLock { $0 = $0 ?? failure } }

        /// Spends comparisons of names with constraints; returns false if the budget is exceeded.
        func spend(_ count: Int) -> Bool {
            comparisons.withLock { left in
                guard count <= left else { return false }
                left -= count
                return true
            }
        }

        func checked(_ certificate: Certificate) -> CheckedCertificate? {
            known[certificate.tbsCertificateBytes] ?? CheckedCertificate(certificate)
        }
    }

    // Certificate policies are not checked here, so every one of them is allowed.
    static let knownCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.keyUsage,
        .X509ExtensionID.basicConstraints, .X509ExtensionID.nameConstraints, [2, 5, 29, 32],
    ]

    let verifyingCriticalExtensions = ChainRules.knownCriticalExtensions

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        guard let failure = failure(of: Array(chain)) else { return .meetsPolicy }
        findings.add(failure)
        return .failsToMeetPolicy(reason: failure.reason)
    }

    /// Returns the first failure of a chain, in order from leaf to root.
    private func failure(of chain: [Certificate]) -> TrustFailure? {
        let checked = chain.compactMap(findings.checked)
        guard checked.count == chain.count else {
            return TrustFailure(.readable, "a certificate of the chain cannot be read again")
        }
        return failure(of: checked)
    }

    func failure(of chain: [CheckedCertificate]) -> TrustFailure? {
        guard let leaf = chain.first else { return TrustFailure(.presented, "there is no certificate") }
        // Authorities between this certificate and the leaf, without self-issued ones (RFC 5280, 4.2.1.9).
        var authorities = 0
        for (index, certificate) in chain.enumerated() {
            let isRoot = index == chain.count - 1
            if let failure = validity(of: certificate) { return failure }
            if !isRoot, let failure = Self.weakness(of: certificate) ?? FormRules.failure(of: certificate) {
                return failure
            }
            guard index > 0 else { continue }
            if let failure = Self.refusedIssuer(certificate, isRoot: isRoot, above: authorities) { return failure }
            authorities += certificate.isSelfIssued ? 0 : 1
        }
        if let failure = Self.refusedUsage(of: leaf) ?? Self.authorityAsServer(leaf) { return failure }
        // A certificate for another host fails for that reason, regardless of its issuers.
        if checksHost, let failure = Self.wrongHost(leaf, host) { return failure }
        return NameRules.failure(of: chain, host: checksHost ? host : nil, spend: findings.spend)
    }

    // MARK: Rules

    func validity(of certificate: CheckedCertificate) -> TrustFailure? {
        if certificate.certificate.notValidAfter < now {
            return TrustFailure(
                .validity,
                "\(Self.name(of: certificate)) expired on \(Day.text(certificate.certificate.notValidAfter))",
                advice: "The server's operator has to renew it.", of: certificate)
        }
        if certificate.certificate.notValidBefore > now {
            return TrustFailure(
                .validity,
                "\(Self.name(of: certificate)) is not valid before \(Day.text(certificate.certificate.notValidBefore))",
                advice: "Check this machine's clock, which says \(Day.text(now)).", of: certificate)
        }
        return nil
    }

    /// Returns a failure for a weak signature or key; a root is trusted regardless of its signature.
    static func weakness(of certificate: CheckedCertificate) -> TrustFailure? {
        if let hash = certificate.raw.forgeableHash {
            return TrustFailure(
                .signatureAlgorithm, "\(name(of: certificate)) is signed with \(hash), which can be forged",
                advice: "The server needs a certificate signed with SHA-256 or better.", of: certificate)
        }
        if let reason = KeyStrength.refusal(of: certificate.raw) {
            return TrustFailure(.keySize, "\(name(of: certificate)) is refused: \(reason)", of: certificate)
        }
        return nil
    }

    static func wrongHost(_ leaf: CheckedCertificate, _ host: String) -> TrustFailure? {
        let names = identity(of: leaf.certificate)
        if names.covers(host) { return nil }
        return TrustFailure(
            .hostName, "the certificate is for \(names.shown), not for \(FieldSyntax.printable(host))",
            advice: "Check the host in the URL, and that it leads to the right server.", of: leaf)
    }

    /// Returns a failure if a certificate may not be used for a server (RFC 5280, 4.2.1.3 and 4.2.1.12); unreadable usages permit
    /// nothing.
    static func refusedUsage(of leaf: CheckedCertificate) -> TrustFailure? {
        if let failure = strangeExtension(of: leaf) { return failure }
        do {
            if let usage = try leaf.certificate.extensions.extendedKeyUsage, !usage.contains(.serverAuth),
                !usage.contains(.any)
            {
                return TrustFailure(
                    .extendedKeyUsage, "its extended key usage does not allow servers",
                    advice: "The server needs a certificate for TLS servers.", of: leaf)
            }
            if let usage = try leaf.certificate.extensions.keyUsage, !usage.digitalSignature, !usage.keyEncipherment {
                return TrustFailure(.keyUsage, "its key usage does not allow a handshake", of: leaf)
            }
            return nil
        } catch {
            return TrustFailure(.keyUsage, "its key usage cannot be read", of: leaf)
        }
    }

    /// Returns a failure for an unknown critical extension (RFC 5280, 4.2).
    static func strangeExtension(of certificate: CheckedCertificate) -> TrustFailure? {
        guard let oid = certificate.raw.criticalExtensions.first(where: { !knownCriticalExtensions.contains($0) })
        else { return nil }
        return TrustFailure(
            .criticalExtension,
            "\(name(of: certificate)) has the critical extension \(oid), which Sterna does not support",
            of: certificate)
    }

    /// Returns a failure for an authority's certificate used as a server's: its key signs certificates, and should not be on a
    /// server. rustls refuses it, too; OpenSSL and Go do not.
    ///
    /// The rule does not apply to a certificate that is itself among the roots, since self-signed ones often claim to be
    /// authorities.
    static func authorityAsServer(_ leaf: CheckedCertificate) -> TrustFailure? {
        do {
            guard case .isCertificateAuthority? = try leaf.certificate.extensions.basicConstraints else { return nil }
            return TrustFailure(
                .basicConstraints, "it is the certificate of an authority, not of a server",
                advice: "The server needs a server certificate; one made for tests can be trusted as a root.",
                of: leaf)
        } catch {
            return TrustFailure(.basicConstraints, "its basic constraints cannot be read", of: leaf)
        }
    }

    /// Returns a failure if an authority on the path, or the root, may not sign certificates of servers.
    private static func refusedIssuer(
        _ issuer: CheckedCertificate, isRoot: Bool, above authorities: Int
    ) -> TrustFailure? {
        if let failure = strangeExtension(of: issuer) ?? FormRules.version(of: issuer) ?? FormRules.nameless(issuer) {
            return failure
        }
        let certificate = issuer.certificate
        // Version 1 roots are older than the extension, and were chosen explicitly.
        if !isRoot || certificate.version == .v3 {
            guard certificate.version == .v3,
                case .isCertificateAuthority(let maximum)? = try? certificate.extensions.basicConstraints
            else {
                return TrustFailure(.basicConstraints, "one of its issuers is not a certificate authority", of: issuer)
            }
            if let maximum, maximum < authorities {
                return TrustFailure(
                    .basicConstraints, "its chain is longer than one of its issuers allows", of: issuer)
            }
        }
        if let purposes = certificate.extensions[oid: .X509ExtensionID.extendedKeyUsage] {
            guard let usage = try? ExtendedKeyUsage(purposes), usage.contains(.serverAuth) || usage.contains(.any)
            else {
                return TrustFailure(
                    .extendedKeyUsage, "one of its issuers may not issue server certificates", of: issuer)
            }
        }
        guard certificate.extensions[oid: .X509ExtensionID.keyUsage] != nil else { return nil }
        guard let usage = try? certificate.extensions.keyUsage else {
            return TrustFailure(.keyUsage, "the key usage of one of its issuers cannot be read", of: issuer)
        }
        return usage.keyCertSign
            ? nil : TrustFailure(.keyUsage, "one of its issuers may not sign certificates", of: issuer)
    }

    // MARK: Names

    /// Returns the names of a certificate; none if the extension cannot be read.
    static func identity(of certificate: Certificate) -> ServerIdentity {
        var identity = ServerIdentity()
        guard let names = try? certificate.extensions.subjectAlternativeNames else { return identity }
        for name in names.prefix(10_000) {
            switch name {
            case .dnsName(let name): identity.dnsNames.append(name)
            case .ipAddress(let address): identity.addresses.append(Array(address.bytes))
            default: break
            }
        }
        return identity
    }

    static func name(of certificate: CheckedCertificate) -> String {
        let subject = FieldSyntax.printable("\(certificate.certificate.subject)", limit: 200)
        return subject.isEmpty ? "the certificate" : "the certificate of “\(subject)”"
    }
}

extension TrustFailure {
    init(_ check: Check, _ reason: String, advice: String = "", of certificate: CheckedCertificate) {
        self.init(check, reason, advice: advice, certificate: certificate.summary)
    }
}

extension Certificate {
    /// The certificate in DER, of which the library keeps only parts.
    var der: [UInt8]? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(self)) != nil else { return nil }
        return serializer.serializedBytes
    }
}

extension ServerIdentity {
    /// The names and addresses as text.
    var texts: [String] { dnsNames + addresses.map(Self.text) }

    /// The first few names for a message.
    var shown: String {
        let count = dnsNames.count + addresses.count
        guard count > 0 else { return "no host at all (it has no subject alternative names)" }
        let first = texts.prefix(4).map { FieldSyntax.printable($0, limit: 260) }.joined(separator: ", ")
        return count > 4 ? "\(first) and \(count - 4) more" : first
    }

    private static func text(_ address: [UInt8]) -> String {
        guard address.count == 16 else { return address.map(String.init).joined(separator: ".") }
        let pieces = stride(from: 0, to: 16, by: 2).map { (index: Int) -> String in
            let piece = UInt16(address[index]) << 8 | UInt16(address[index + 1])
            return String(piece, radix: 16)
        }
        return pieces.joined(separator: ":")
    }
}
