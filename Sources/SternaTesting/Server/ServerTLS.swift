import NIOCore
import NIOSSL

/// A TLS protocol version.
public enum ServerTLSVersion: Sendable, Hashable, CaseIterable {
    /// TLS 1.0 (RFC 2246).
    case tls10
    /// TLS 1.1 (RFC 4346).
    case tls11
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13

    var nio: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}

/// The TLS settings of a server.
public struct ServerTLSSettings: Sendable {
    /// The oldest version accepted, TLS 1.2 by default.
    public var minimumVersion: ServerTLSVersion
    /// The newest version accepted, TLS 1.3 by default.
    public var maximumVersion: ServerTLSVersion
    /// The ALPN names offered (RFC 7301), in order of preference, `http/1.1` by default; empty for no ALPN. Negotiating `h2`
    /// selects HTTP/2; ``ServerHTTP2/byALPN`` adds it in front if it is not among them.
    public var applicationProtocols: [String]
    /// The authorities of client certificates, in PEM; if empty, the server requests none.
    public var clientAuthorities: [String]

    /// Settings with the defaults above.
    public init() {
        self.minimumVersion = .tls12
        self.maximumVersion = .tls13
        self.applicationProtocols = ["http/1.1"]
        self.clientAuthorities = []
    }

    func makeContext(_ certificate: CertificateBundle) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificateChainPEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = minimumVersion.nio
        configuration.maximumTLSVersion = maximumVersion.nio
        configuration.applicationProtocols = applicationProtocols
        configuration.shutdownTimeout = .seconds(1)
        if !clientAuthorities.isEmpty {
            let roots = try clientAuthorities.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification = .noHostnameVerification
        }
        return try NIOSSLContext(configuration: configuration)
    }
}
