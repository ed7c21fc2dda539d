import FoundationEssentials
import SternaCore
import SwiftASN1
import Synchronization
import X509

/// What the X.509 library's policies leave out, or let pass: the host, what keys may be used for, keys and hashes that are too
/// weak, and what constraints say of the host asked for. Also what they do check, where they would not say of which certificate.
struct ChainRules: VerifierPolicy, Sendable {
    var host: String
    var checksHost: Bool
    var now: Date
    let findings: Findings

    /// What the search came upon.
    final class Findings: Sendable {
        private let first = Mutex<TrustFailure?>(nil)

        /// The failure of the first path that led to a root.
        var failure: TrustFailure? { first.withLock { $0 } }

        func add(_ failure: TrustFailure) { first.withLock { $0 = $0 ?? failure } }
    }

    // Policies of certificates are not asked for here, so that every one of them is allowed.
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

    /// The first thing that is wrong with a chain of leaf to root.
    func failure(of chain: [Certificate]) -> TrustFailure? {
        guard let leaf = chain.first else { return TrustFailure(.presented, "there is no certificate") }
        for (index, certificate) in chain.enumerated() {
            if let failure = validity(of: certificate) { return failure }
            if index < chain.count - 1, let failure = Self.weakness(of: certificate) { return failure }
            if index > 0, let failure = Self.refusedIssuer(certificate, isRoot: index == chain.count - 1) {
                return failure
            }
        }
        if let failure = Self.refusedUsage(of: leaf) { return failure }
        // Where the certificate is not for the host, that is what is wrong, whoever may issue for it.
        let wrongHost = checksHost ? Self.wrongHost(leaf, host) : nil
        if let failure = NameRules.failure(of: chain, host: checksHost && wrongHost == nil ? host : nil) {
            return failure
        }
        return wrongHost
    }

    // MARK: Rules

    func validity(of certificate: Certificate) -> TrustFailure? {
        if certificate.notValidAfter < now {
            return TrustFailure(
                .validity, "\(Self.name(of: certificate)) expired on \(Day.text(certificate.notValidAfter))",
                advice: "The server's operator has to renew it.", of: certificate)
        }
        if certificate.notValidBefore > now {
            return TrustFailure(
                .validity, "\(Self.name(of: certificate)) is not valid before \(Day.text(certificate.notValidBefore))",
                advice: "Is this machine's clock right? It says \(Day.text(now)).", of: certificate)
        }
        return nil
    }

    /// What makes a signature or a key worthless; a root is trusted for what it is, whoever signed it.
    static func weakness(of certificate: Certificate) -> TrustFailure? {
        guard let raw = certificate.raw else { return nil }
        if let hash = RawCertificate.forgeable[raw.signatureAlgorithm] {
            return TrustFailure(
                .signatureAlgorithm, "\(name(of: certificate)) is signed with \(hash), which can be forged",
                advice: "The server needs a certificate signed with SHA-256 or better.", of: certificate)
        }
        if let reason = KeyStrength.refusal(of: raw) {
            return TrustFailure(.keySize, "\(name(of: certificate)) is refused: \(reason)", of: certificate)
        }
        return nil
    }

    static func wrongHost(_ leaf: Certificate, _ host: String) -> TrustFailure? {
        let names = identity(of: leaf)
        if names.covers(host) { return nil }
        return TrustFailure(
            .hostName, "the certificate is for \(names.shown), not for \(FieldSyntax.printable(host))",
            advice: "Is the URL right, and is this the server that it should be?", of: leaf)
    }

    /// What a server's certificate may not be used for (RFC 5280, 4.2.1.3 and 4.2.1.12); usages that cannot be read allow
    /// nothing.
    static func refusedUsage(of leaf: Certificate) -> TrustFailure? {
        if let failure = strangeExtension(of: leaf) { return failure }
        do {
            if let usage = try leaf.extensions.extendedKeyUsage, !usage.contains(.serverAuth), !usage.contains(.any) {
                return TrustFailure(
                    .extendedKeyUsage, "its extended key usage does not allow servers",
                    advice: "The server needs a certificate for TLS servers.", of: leaf)
            }
            if let usage = try leaf.extensions.keyUsage, !usage.digitalSignature, !usage.keyEncipherment {
                return TrustFailure(.keyUsage, "its key usage does not allow a handshake", of: leaf)
            }
            return nil
        } catch {
            return TrustFailure(.keyUsage, "its key usage cannot be read", of: leaf)
        }
    }

    /// A critical extension that is not known here (RFC 5280, 4.2).
    static func strangeExtension(of certificate: Certificate) -> TrustFailure? {
        guard let oid = certificate.raw?.criticalExtensions.first(where: { !knownCriticalExtensions.contains($0) })
        else { return nil }
        return TrustFailure(
            .criticalExtension, "\(name(of: certificate)) has the critical extension \(oid), which is not known here",
            of: certificate)
    }

    /// An authority on the way to the root, or the root, whose key may not sign certificates of servers.
    private static func refusedIssuer(_ certificate: Certificate, isRoot: Bool) -> TrustFailure? {
        if let failure = strangeExtension(of: certificate) { return failure }
        // Roots of the first version are older than the extension, and were chosen by whoever trusts them.
        if !isRoot || certificate.version == .v3 {
            guard certificate.version == .v3,
                case .isCertificateAuthority? = try? certificate.extensions.basicConstraints
            else {
                return TrustFailure(.basicConstraints, "one of its issuers is no authority", of: certificate)
            }
        }
        if let purposes = certificate.extensions[oid: .X509ExtensionID.extendedKeyUsage] {
            guard let usage = try? ExtendedKeyUsage(purposes), usage.contains(.serverAuth) || usage.contains(.any)
            else {
                return TrustFailure(
                    .extendedKeyUsage, "one of its issuers may not issue certificates of servers", of: certificate)
            }
        }
        guard certificate.extensions[oid: .X509ExtensionID.keyUsage] != nil else { return nil }
        guard let usage = try? certificate.extensions.keyUsage else {
            return TrustFailure(.keyUsage, "the key usage of one of its issuers cannot be read", of: certificate)
        }
        return usage.keyCertSign
            ? nil : TrustFailure(.keyUsage, "one of its issuers may not sign certificates", of: certificate)
    }

    // MARK: Names

    /// The names a certificate speaks for; none where the extension cannot be read.
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

    static func name(of certificate: Certificate) -> String {
        let subject = FieldSyntax.printable("\(certificate.subject)", limit: 200)
        return subject.isEmpty ? "the certificate" : "the certificate of “\(subject)”"
    }
}

extension TrustFailure {
    init(_ check: Check, _ reason: String, advice: String = "", of certificate: Certificate) {
        let der = certificate.der
        self.init(check, reason, advice: advice, certificate: der.flatMap(CertificateSummary.init))
    }
}

extension Certificate {
    /// The certificate's bytes, which the library keeps only in parts.
    var der: [UInt8]? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(self)) != nil else { return nil }
        return serializer.serializedBytes
    }

    var raw: RawCertificate? { der.flatMap(RawCertificate.init) }
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
        return stride(from: 0, to: 16, by: 2)
            .map { String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}
