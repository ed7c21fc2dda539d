import Crypto
public import SternaCore
import Synchronization

/// A certificate with its private key, presented to servers that request one.
///
///     policy.identity = try ClientIdentity(certificateFile: "client.pem", keyFile: "client.key")
///     policy.identity = try ClientIdentity(certificateFile: "client.p12", password: password)
///
/// The initializers read the files and check that the files contain a certificate and a key, and that the key
/// belongs to the certificate.
///
/// A file whose password requires more than 10,000,000 hash rounds in total (RFC 8018, 4.2) is refused before the first round. More
/// rounds would occupy a thread for minutes; programs write 2,048 to a million.
public struct ClientIdentity: Sendable, Hashable {
    /// The certificates in DER: the client's own, then the chain to its authority.
    public var certificates: [[UInt8]] { content.certificates }

    // In DER; never printed.
    package var privateKey: [UInt8] { content.privateKey }

    private let content: Content

    /// Certificates and key, compared by their digest.
    private struct Content: Sendable, Hashable {
        let certificates: [[UInt8]]
        let privateKey: [UInt8]
        let digest: [UInt8]

        static func == (left: Content, right: Content) -> Bool { left.digest == right.digest }

        func hash(into hasher: inout Hasher) { hasher.combine(digest) }
    }

    /// Makes an identity of a chain and a key.
    ///
    /// - Parameters:
    ///   - certificates: certificates in PEM, the client's own first, or one in DER.
    ///   - privateKey: the key in PEM or DER (PKCS #8, PKCS #1, SEC 1). A key may be encrypted in PEM, and as PKCS #8 in DER, too.
    ///   - password: the password of an encrypted key; nil for none.
    ///
    /// Throws `identityUnusable` for unreadable input, and if the key does not belong to the certificate.
    public init(certificates: [UInt8], privateKey: [UInt8], password: String? = nil) throws(SternaError) {
        let chain = CertificateFiles.certificates(in: certificates).certificates
        try self.init(chain: chain, key: try PrivateKeys.read(privateKey, password: password))
    }

    /// Makes an identity of files.
    ///
    /// - Parameters:
    ///   - certificateFile: certificates in PEM, one in DER, or a PKCS #12 container with everything.
    ///   - keyFile: the key in PEM or DER; nil if the first file also contains the key.
    ///   - password: the password of the key or the container; nil for none.
    ///
    /// Throws `identityUnusable` for an unreadable file, unusable content, and a key that does not belong to the certificate.
    public init(
        certificateFile: some FileReference, keyFile: (any FileReference)? = nil, password: String? = nil
    ) throws(SternaError) {
        let certificateFile = try certificateFile.filePath()
        let keyFile = try keyFile?.filePath()
        let bytes = try Self.content(of: certificateFile, what: "The client certificates")
        let key = try keyFile.map { file throws(SternaError) in try Self.content(of: file, what: "The private key") }
        do throws(SternaError) {
            if let key {
                try self.init(certificates: bytes, privateKey: key, password: password)
            } else if bytes.first == 0x30, RawCertificate(bytes) == nil {
                try self.init(pkcs12: bytes, password: password)
            } else {
                try self.init(certificates: bytes, privateKey: bytes, password: password)
            }
        } catch {
            let files = [certificateFile, keyFile].compactMap { $0 }.map { FieldSyntax.printable($0) }
            throw Self.unusable("\(error.detail) (\(files.joined(separator: ", ")))", error.underlying)
        }
    }

    private static func content(of file: String, what: String) throws(SternaError) -> [UInt8] {
        do throws(SternaError) {
            return try CertificateFiles.read(file, what: what)
        } catch {
            throw unusable(error.detail, error.underlying)
        }
    }

    /// Makes an identity of a PKCS #12 container (RFC 7292), as `openssl pkcs12 -export` writes it.
    ///
    /// Containers encrypted by AES, Triple DES or RC2 are supported.
    ///
    /// - Parameter password: the container's password; nil for none.
    ///
    /// Throws `identityUnusable` for a damaged or unsupported container, a wrong password, and a container without a key or without
    /// its certificate.
    public init(pkcs12: [UInt8], password: String? = nil) throws(SternaError) {
        let content = try PKCS12.read(pkcs12, password: password ?? "")
        let key = try PrivateKeys.read(content.key, password: content.isEncrypted ? password ?? "" : nil)
        // The certificates are in arbitrary order; the key identifies the client's own.
        guard let own = content.certificates.firstIndex(where: { PrivateKeys.fits(key, $0) }) else {
            throw Self.unusable(
                "The PKCS #12 container has \(content.certificates.count) certificates, none of which its key belongs to."
            )
        }
        var rest = content.certificates
        let first = rest.remove(at: own)
        try self.init(chain: [first] + rest, key: key)
    }

    private init(chain: [[UInt8]], key: [UInt8]) throws(SternaError) {
        guard let own = chain.first else {
            throw Self.unusable("There is no certificate in PEM or DER.")
        }
        guard chain.count <= PathSearch.maximumCertificates else {
            throw Self.unusable("There are \(chain.count) certificates, more than any chain needs.")
        }
        guard PrivateKeys.fits(key, own) else {
            let name = CertificateSummary(der: own).map { " (\($0.subject))" } ?? ""
            throw Self.unusable(
                "The private key does not belong to the certificate\(name); the client's own comes first.")
        }
        var hash = SHA256()
        for part in chain + [key] {
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: part)
        }
        content = Content(certificates: chain, privateKey: key, digest: Array(hash.finalize()))
    }

    /// The client's own certificate.
    public var certificate: CertificateSummary? { certificates.first.flatMap(CertificateSummary.init) }

    static func unusable(_ detail: String, _ cause: (any Error)? = nil) -> SternaError {
        SternaError(.identityUnusable, phase: .prepare, detail, underlying: cause)
    }
}

extension ClientIdentity: CustomStringConvertible, CustomReflectable {
    /// Describes the certificate; the key is never shown.
    public var description: String { certificate?.description ?? "a client's certificate" }

    public var customMirror: Mirror { Mirror(self, children: ["certificate": description], displayStyle: .struct) }
}

/// An identity that can be replaced while sessions live, for example by a job that renews certificates.
///
/// New connections present the new identity. Connections with the old one finish their requests and are not reused.
public final class RotatingIdentity: Sendable, Hashable {
    private let state: Mutex<ClientIdentity?>

    /// Makes a holder with an identity, or none.
    public init(_ identity: ClientIdentity? = nil) { state = Mutex(identity) }

    /// The identity that new connections present; nil for none.
    public var current: ClientIdentity? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    public static func == (left: RotatingIdentity, right: RotatingIdentity) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
