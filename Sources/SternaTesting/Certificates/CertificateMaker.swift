import Crypto
import FoundationEssentials
import NIOCore
import SwiftASN1
import X509

/// Builds the certificates behind the public types.
enum CertificateMaker {
    typealias Issuer = (certificate: Certificate, key: P256.Signing.PrivateKey)

    static func authority(
        commonName: String, key: P256.Signing.PrivateKey, notBefore: Date, notAfter: Date, pathLength: Int?,
        issuer: Issuer?
    ) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key.publicKey)
        let subject = try DistinguishedName { CommonName(commonName) }
        var extensions: [Certificate.Extension] = [
            try .init(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength), critical: true),
            try .init(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
            try .init(SubjectKeyIdentifier(hash: publicKey), critical: false),
        ]
        if let issuer { extensions.append(try authorityKey(issuer.certificate)) }
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey, notValidBefore: notBefore,
            notValidAfter: notAfter, issuer: issuer?.certificate.subject ?? subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: try .init(extensions),
            issuerPrivateKey: .init(issuer?.key ?? key))
    }

    static func leaf(_ options: CertificateOptions, key: P256.Signing.PrivateKey, issuer: Issuer?) throws -> Certificate
    {
        let publicKey = Certificate.PublicKey(key.publicKey)
        let subject = try DistinguishedName { CommonName(options.commonName ?? options.hosts.first ?? "localhost") }
        var extensions: [Certificate.Extension] = []
        if options.isCertificateAuthority {
            extensions.append(try .init(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true))
        } else {
            extensions.append(try .init(BasicConstraints.notCertificateAuthority, critical: true))
        }
        let usage = KeyUsage(digitalSignature: true, keyCertSign: options.isCertificateAuthority)
        extensions.append(try .init(usage, critical: true))
        if !options.extendedKeyUsage.isEmpty {
            extensions.append(try .init(ExtendedKeyUsage(options.extendedKeyUsage.map(\.x509)), critical: false))
        }
        if !options.omitsSubjectAlternativeName && !options.hosts.isEmpty {
            extensions.append(
                try .init(SubjectAlternativeNames(options.hosts.map { generalName($0) }), critical: false))
        }
        extensions.append(try .init(SubjectKeyIdentifier(hash: publicKey), critical: false))
        if let issuer { extensions.append(try authorityKey(issuer.certificate)) }
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey, notValidBefore: options.notBefore,
            notValidAfter: options.notAfter, issuer: issuer?.certificate.subject ?? subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: try .init(extensions),
            issuerPrivateKey: .init(issuer?.key ?? key))
    }

    static func selfSigned(_ options: CertificateOptions) throws -> CertificateBundle {
        let key = P256.Signing.PrivateKey()
        return try bundle(leaf(options, key: key, issuer: nil), key: key, intermediates: [])
    }

    static func bundle(
        _ leaf: Certificate, key: P256.Signing.PrivateKey, intermediates: [Certificate]
    ) throws -> CertificateBundle {
        let chain = try ([leaf] + intermediates).map { try $0.serializeAsPEM().pemString + "\n" }
        return CertificateBundle(
            certificateChainPEM: chain.joined(), privateKeyPEM: key.pemRepresentation + "\n", leafDER: try der(leaf),
            publicKeySHA256: Array(SHA256.hash(data: key.publicKey.derRepresentation)))
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    private static func authorityKey(_ issuer: Certificate) throws -> Certificate.Extension {
        let identifier = SubjectKeyIdentifier(hash: issuer.publicKey).keyIdentifier
        return try .init(AuthorityKeyIdentifier(keyIdentifier: identifier), critical: false)
    }

    private static func generalName(_ host: String) -> GeneralName {
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else { return .dnsName(host) }
        // RFC 3493's layout, the same on every system: the address follows family and port, in IPv6 flow label too.
        let octets: ArraySlice<UInt8>
        switch address {
        case .v4(let address): octets = withUnsafeBytes(of: address.address) { ArraySlice($0.dropFirst(4).prefix(4)) }
        case .v6(let address): octets = withUnsafeBytes(of: address.address) { ArraySlice($0.dropFirst(8).prefix(16)) }
        case .unixDomainSocket: return .dnsName(host)
        }
        return .ipAddress(ASN1OctetString(contentBytes: octets))
    }
}

extension CertificateOptions.Usage {
    var x509: ExtendedKeyUsage.Usage {
        switch self {
        case .serverAuthentication: .serverAuth
        case .clientAuthentication: .clientAuth
        case .codeSigning: .codeSigning
        }
    }
}
