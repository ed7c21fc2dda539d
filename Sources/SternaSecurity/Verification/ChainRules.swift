import SternaCore
import SwiftASN1
import X509

/// What the verifier's own policies leave out: the host, what the key may be used for, and hashes that are broken.
struct ChainRules: VerifierPolicy, Sendable {
    var host: String

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage,
    ]

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        let leaf = chain.leaf
        // The root is trusted for what it is; its signature on itself proves nothing, so its hash does not matter.
        for certificate in chain.dropLast() where certificate.signatureAlgorithm == .sha1WithRSAEncryption {
            return .failsToMeetPolicy(reason: "it is signed with SHA-1, which can be forged")
        }
        if let reason = Self.refusal(of: leaf, host: host) ?? Self.refusedIssuer(in: chain) {
            return .failsToMeetPolicy(reason: reason)
        }
        return .meetsPolicy
    }

    /// Why a server's certificate is not taken for a host, whoever issued it; nil where it is.
    private static func refusal(of leaf: Certificate, host: String) -> String? {
        if let reason = refusedUsage(of: leaf) { return reason }
        let names = identity(of: leaf)
        return names.covers(host) ? nil : "it is for \(names.shown), not for \(host)"
    }

    /// What a server's certificate may not be used for (RFC 5280, 4.2.1.3 and 4.2.1.12); usages that cannot be read allow
    /// nothing.
    private static func refusedUsage(of leaf: Certificate) -> String? {
        do {
            if let usage = try leaf.extensions.extendedKeyUsage, !usage.contains(.serverAuth), !usage.contains(.any) {
                return "its extended key usage does not allow servers"
            }
            if let usage = try leaf.extensions.keyUsage, !usage.digitalSignature, !usage.keyEncipherment {
                return "its key usage does not allow a handshake"
            }
            return nil
        } catch {
            return "its key usage cannot be read"
        }
    }

    /// An authority on the way to the root whose key may not sign certificates.
    private static func refusedIssuer(in chain: UnverifiedCertificateChain) -> String? {
        for certificate in chain.dropLast().dropFirst() {
            guard certificate.version == .v3,
                case .isCertificateAuthority? = try? certificate.extensions.basicConstraints
            else { return "one of its issuers is no authority" }
            if let purposes = certificate.extensions[oid: .X509ExtensionID.extendedKeyUsage] {
                guard let usage = try? ExtendedKeyUsage(purposes), usage.contains(.serverAuth) || usage.contains(.any)
                else { return "one of its issuers may not issue certificates of servers" }
            }
            guard let usage = try? certificate.extensions.keyUsage else {
                if certificate.extensions[oid: .X509ExtensionID.keyUsage] == nil { continue }
                return "the key usage of one of its issuers cannot be read"
            }
            if !usage.keyCertSign { return "one of its issuers may not sign certificates" }
        }
        return nil
    }

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
}

extension UnverifiedCertificateChain {
    fileprivate func dropLast() -> [Certificate] {
        (startIndex..<Swift.max(startIndex, endIndex - 1)).map { self[$0] }
    }
}

extension ServerIdentity {
    /// The first few names for a message.
    var shown: String {
        let count = dnsNames.count + addresses.count
        guard count > 0 else { return "no host at all (it has no subject alternative names)" }
        let texts = dnsNames + addresses.map(Self.text)
        let first = texts.prefix(4).map { FieldSyntax.printable($0) }.joined(separator: ", ")
        return count > 4 ? "\(first) and \(count - 4) more" : first
    }

    private static func text(_ address: [UInt8]) -> String {
        guard address.count == 16 else { return address.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}
