import Crypto
import NIOCore
import SternaPlatform
import SwiftASN1
import X509

/// Builds the certificates behind the public types.
enum CertificateMaker {
    typealias Issuer = (certificate: Certificate, key: Certificate.PrivateKey)

    static func key(_ kind: CertificateOptions.KeyKind) -> Certificate.PrivateKey {
        switch kind {
        case .p256: .init(P256.Signing.PrivateKey())
        case .p384: .init(P384.Signing.PrivateKey())
        case .p521: .init(P521.Signing.PrivateKey())
        }
    }

    /// - Parameters:
    ///   - subject: the subject; nil for one of the common name.
    ///   - issuer: the signer; nil for the key itself.
    static func authority(
        _ options: AuthorityOptions, key: Certificate.PrivateKey, subject: DistinguishedName? = nil, issuer: Issuer?
    ) throws -> Certificate {
        var extensions: [Certificate.Extension] = []
        if !options.omitsBasicConstraints {
            let constraints: BasicConstraints =
                options.isCertificateAuthority
                ? .isCertificateAuthority(maxPathLength: options.pathLength) : .notCertificateAuthority
            extensions.append(try .init(constraints, critical: true))
        }
        extensions += try usages(options.keyUsage, options.extendedKeyUsage)
        if !options.hosts.isEmpty { extensions.append(try names(options.hosts)) }
        if !options.permittedNames.isEmpty || !options.excludedNames.isEmpty {
            let constraints = NameConstraints(
                permittedSubtrees: options.permittedNames.map(subtree),
                excludedSubtrees: options.excludedNames.map(subtree))
            extensions.append(try .init(constraints, critical: true))
        }
        let subject = try subject ?? DistinguishedName { CommonName(options.commonName) }
        return try certificate(
            subject, key, extensions, from: options.notBefore, until: options.notAfter, issuer: issuer)
    }

    static func leaf(_ options: CertificateOptions, key: Certificate.PrivateKey, issuer: Issuer?) throws -> Certificate
    {
        let constraints: BasicConstraints =
            options.isCertificateAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
        var extensions: [Certificate.Extension] = [try .init(constraints, critical: true)]
        let fitting: Set<CertificateOptions.KeyUsage> =
            options.isCertificateAuthority ? [.digitalSignature, .certificateSigning] : [.digitalSignature]
        extensions += try usages(options.keyUsage ?? fitting, options.extendedKeyUsage)
        if !options.omitsSubjectAlternativeName && !options.hosts.isEmpty {
            extensions.append(try names(options.hosts))
        }
        return try certificate(
            DistinguishedName { CommonName(options.commonName ?? options.hosts.first ?? "localhost") }, key, extensions,
            from: options.notBefore, until: options.notAfter, issuer: issuer)
    }

    static func selfSigned(_ options: CertificateOptions) throws -> CertificateBundle {
        let key = key(options.key)
        return try bundle(leaf(options, key: key, issuer: nil), key: key, intermediates: [])
    }

    static func bundle(
        _ leaf: Certificate, key: Certificate.PrivateKey, intermediates: [Certificate]
    ) throws -> CertificateBundle {
        let chain = try ([leaf] + intermediates).map { try $0.serializeAsPEM().pemString + "\n" }
        return CertificateBundle(
            certificateChainPEM: chain.joined(), privateKeyPEM: try key.serializeAsPEM().pemString + "\n",
            leafDER: try der(leaf),
            publicKeySHA256: Array(SHA256.hash(data: try key.publicKey.serializeAsPEM().derBytes)))
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    // MARK: Parts

    private static func certificate(
        _ subject: DistinguishedName, _ key: Certificate.PrivateKey, _ extensions: [Certificate.Extension],
        from notBefore: Date, until notAfter: Date, issuer: Issuer?
    ) throws -> Certificate {
        var extensions = extensions
        extensions.append(try .init(SubjectKeyIdentifier(hash: key.publicKey), critical: false))
        if let issuer {
            let identifier = SubjectKeyIdentifier(hash: issuer.certificate.publicKey).keyIdentifier
            extensions.append(try .init(AuthorityKeyIdentifier(keyIdentifier: identifier), critical: false))
        }
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: notBefore,
            notValidAfter: notAfter, issuer: issuer?.certificate.subject ?? subject, subject: subject,
            extensions: try .init(extensions), issuerPrivateKey: issuer?.key ?? key)
    }

    private static func usages(
        _ key: Set<CertificateOptions.KeyUsage>, _ purposes: [CertificateOptions.Usage]
    ) throws -> [Certificate.Extension] {
        var extensions: [Certificate.Extension] = []
        if !key.isEmpty {
            let usage = KeyUsage(
                digitalSignature: key.contains(.digitalSignature), keyEncipherment: key.contains(.keyEncipherment),
                keyAgreement: key.contains(.keyAgreement), keyCertSign: key.contains(.certificateSigning),
                cRLSign: key.contains(.revocationListSigning))
            extensions.append(try .init(usage, critical: true))
        }
        if !purposes.isEmpty {
            extensions.append(try .init(ExtendedKeyUsage(purposes.map(\.x509)), critical: false))
        }
        return extensions
    }

    private static func names(_ hosts: [String]) throws -> Certificate.Extension {
        try .init(SubjectAlternativeNames(hosts.map(generalName)), critical: false)
    }

    private static func generalName(_ host: String) -> GeneralName {
        address(host).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(host)
    }

    /// Returns a subtree of names, or a range of addresses: the address and a mask of the same length.
    private static func subtree(_ text: String) -> GeneralName {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let address = address(String(parts[0])), let ones = Int(parts[1]),
            (0...address.count * 8).contains(ones)
        else { return .dnsName(text) }
        let mask = address.indices.map { index in
            UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, ones - index * 8)))
        }
        return .ipAddress(ASN1OctetString(contentBytes: (address + mask)[...]))
    }

    private static func address(_ host: String) -> [UInt8]? {
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else { return nil }
        // RFC 3493's layout, the same on every system: the address follows family and port, and in IPv6 the flow label.
        return switch address {
        case .v4(let address): withUnsafeBytes(of: address.address) { Array($0.dropFirst(4).prefix(4)) }
        case .v6(let address): withUnsafeBytes(of: address.address) { Array($0.dropFirst(8).prefix(16)) }
        case .unixDomainSocket: nil
        }
    }
}

extension CertificateOptions.Usage {
    var x509: ExtendedKeyUsage.Usage {
        switch self {
        case .serverAuthentication: .serverAuth
        case .clientAuthentication: .clientAuth
        case .codeSigning: .codeSigning
        case .emailProtection: .emailProtection
        case .any: .any
        }
    }
}
