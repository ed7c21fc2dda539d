import NIOCore
import NIOSSL
import SternaCore
import SternaPlatform
import SternaSecurity
import Synchronization

/// A cache of the TLS library's contexts, one for each combination of options, identity and application protocols.
final class TLSContexts: Sendable {
    private struct Key: Equatable {
        let options: TLSOptions
        let identity: ClientIdentity?
        let protocols: [String]
    }

    private struct Kept {
        let key: Key
        let context: NIOSSLContext
    }

    // A list, since there are few, and a start pays for each type of dictionary.
    private let contexts = Mutex<[Kept]>([])

    /// Returns the context of options and an identity. Throws `tlsFailed`, or `identityUnusable` with an identity, if the library
    /// refuses them; `tlsFailed` if the key log cannot be opened.
    ///
    /// - Parameter protocols: the application protocols to offer (ALPN), the preferred one first.
    func context(
        _ options: TLSOptions, _ identity: ClientIdentity?, protocols: [String]
    ) throws(SternaError) -> NIOSSLContext {
        let key = Key(options: options, identity: identity, protocols: protocols)
        if let known = contexts.withLock({ $0.first { $0.key == key } }) { return known.context }
        let made = try Self.make(options, identity, protocols)
        contexts.withLock { contexts in
            // Bounds the cache, so that replaced identities are not kept forever.
            if contexts.count >= 64 { contexts.removeAll() }
            contexts.append(Kept(key: key, context: made))
        }
        return made
    }

    private static func make(
        _ options: TLSOptions, _ identity: ClientIdentity?, _ protocols: [String]
    ) throws(SternaError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The callback checks chain and host in place of the library's own verification, whose roots would be loaded for nothing.
        // Never `.none`: the library would then ignore the callback's verdict.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.minimumTLSVersion = options.minimumVersion.nio
        configuration.maximumTLSVersion = options.maximumVersion?.nio
        // An empty list would crash the process in the library.
        if let suites = options.cipherSuites, !suites.isEmpty { configuration.cipherSuiteValues = suites.map(\.nio) }
        configuration.applicationProtocols = protocols
        // A server that does not answer close_notify must not delay waiters for the connection's permit.
        configuration.shutdownTimeout = .milliseconds(500)
        if let path = options.keyLogFile {
            let log = try KeyLog(path: path)
            configuration.keyLogCallback = { line in log.append(line) }
        }
        do {
            if let identity {
                configuration.certificateChain = try identity.certificates.map {
                    .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
                }
                configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: identity.privateKey, format: .der))
            }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw SternaError(
                identity == nil ? .tlsFailed : .identityUnusable, phase: .tls,
                "TLS cannot be set up with these options.", underlying: error)
        }
    }
}

/// A file that receives the keys of connections, for tools that read captured traffic.
private final class KeyLog: Sendable {
    private let descriptor: CInt

    init(path: String) throws(SternaError) {
        guard !path.utf8.contains(0) else {
            descriptor = -1
            throw Self.unopened(path, "\(BodyFault.controlCharacter(in: "its path"))")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        let reason = errno
        // Refuses a file that other users may read, even an existing one, and a pipe, which would block the event loop. `self` is
        // fully initialized here, so its deinitializer closes the descriptor.
        if descriptor >= 0 {
            var facts = stat()
            guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 == 0 else {
                throw SternaError(
                    .tlsFailed, phase: .tls,
                    "The key log “\(FieldSyntax.printable(path))” must be a regular file that only you can access; remove it, or chmod 600 it."
                )
            }
        }
        guard descriptor >= 0 else { throw Self.unopened(path, String(cString: strerror(reason))) }
    }

    private static func unopened(_ path: String, _ reason: String) -> SternaError {
        SternaError(
            .tlsFailed, phase: .tls, "The key log “\(FieldSyntax.printable(path))” cannot be opened: \(reason).")
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    // One write per line, so that lines of several processes do not mix.
    func append(_ line: Bytes) {
        _ = line.withUnsafeReadableBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}

extension TLSOptions.Version {
    fileprivate var nio: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }

    init?(_ version: TLSVersion?) {
        switch version {
        case .tlsv1: self = .tls10
        case .tlsv11: self = .tls11
        case .tlsv12: self = .tls12
        case .tlsv13: self = .tls13
        case nil: return nil
        }
    }
}

extension CipherSuite {
    fileprivate var nio: NIOTLSCipher {
        switch self {
        case .ecdheECDSAWithAES128GCM: .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
        case .ecdheECDSAWithAES256GCM: .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
        case .ecdheECDSAWithChaCha20: .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
        case .ecdheRSAWithAES128GCM: .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
        case .ecdheRSAWithAES256GCM: .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
        case .ecdheRSAWithChaCha20: .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
        case .ecdheECDSAWithAES128CBC: .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA
        case .ecdheECDSAWithAES256CBC: .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA
        case .ecdheRSAWithAES128CBC: .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
        case .ecdheRSAWithAES256CBC: .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA
        case .rsaWithAES128GCM: .TLS_RSA_WITH_AES_128_GCM_SHA256
        case .rsaWithAES256GCM: .TLS_RSA_WITH_AES_256_GCM_SHA384
        }
    }
}
