import FoundationEssentials
import NIOSSL
import SternaCore

/// Reads private keys by the TLS library, which knows all their forms.
enum PrivateKeys {
    /// A key in DER, from PEM or DER, decrypted; throws `identityUnusable`.
    static func read(_ bytes: [UInt8], password: String?) throws(SternaError) -> [UInt8] {
        let isPEM = bytes.first != 0x30
        do {
            let key: NIOSSLPrivateKey
            if isPEM {
                let secret = Array((password ?? "").utf8)
                key = try NIOSSLPrivateKey(bytes: bytes, format: .pem) { setter in setter(secret) }
            } else {
                key = try NIOSSLPrivateKey(bytes: bytes, format: .der)
            }
            return try key.derBytes
        } catch {
            throw ClientIdentity.unusable(reason(bytes, isPEM: isPEM, hasPassword: password?.isEmpty == false), error)
        }
    }

    private static func reason(_ bytes: [UInt8], isPEM: Bool, hasPassword: Bool) -> String {
        guard isPEM else { return "The private key cannot be read: it is not one in DER." }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("PRIVATE KEY-----") else {
            return "There is no private key in PEM; name the file that has it."
        }
        guard text.contains("ENCRYPTED") else {
            return "The private key cannot be read: it is damaged, or of a kind not in use."
        }
        return hasPassword
            ? "The private key cannot be decrypted: the password is wrong, or the key is damaged."
            : "The private key is encrypted; a password is needed."
    }

    /// Whether a key belongs to a certificate, by the TLS library's own comparison.
    static func fits(_ key: [UInt8], _ certificate: [UInt8]) -> Bool {
        guard let own = try? NIOSSLCertificate(bytes: certificate, format: .der),
            let key = try? NIOSSLPrivateKey(bytes: key, format: .der)
        else { return false }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = [.certificate(own)]
        configuration.privateKey = .privateKey(key)
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }

    /// A key as PKCS #8 that a password protects, in PEM, which the TLS library decrypts.
    static func encryptedPEM(_ der: ArraySlice<UInt8>) -> [UInt8] {
        let text = Data(der).base64EncodedString()
        var lines = ["-----BEGIN ENCRYPTED PRIVATE KEY-----"]
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return Array((lines + ["-----END ENCRYPTED PRIVATE KEY-----", ""]).joined(separator: "\n").utf8)
    }
}
