import NIOSSL
import SternaCore
import SternaPlatform
import SwiftASN1

/// Reads private keys with the TLS library, which supports all their forms.
enum PrivateKeys {
    /// Returns a key in DER, from PEM or DER, decrypted; throws `identityUnusable`.
    static func read(_ bytes: [UInt8], password: String?) throws(SternaError) -> [UInt8] {
        if let encrypted = try encryptedPKCS8(bytes) {
            guard let password, !password.isEmpty || encrypted.isModern else {
                throw ClientIdentity.unusable("The private key is encrypted; a password is needed.")
            }
            // The library reads only the bytes whose rounds were counted, not others that the file may contain.
            let pem = encryptedPEM(encrypted.der[...])
            guard encrypted.isModern else { return try decoded(pem, form: .pem, source: pem, password: password) }
            return try decoded(try encrypted.decrypt(password), form: .der, source: pem, password: password)
        }
        guard bytes.first != 0x30 else { return try decoded(bytes, form: .der, source: bytes, password: nil) }
        return try decoded(bytes, form: .pem, source: bytes, password: password)
    }

    private static func decoded(
        _ bytes: [UInt8], form: NIOSSLSerializationFormats, source: [UInt8], password: String?
    ) throws(SternaError) -> [UInt8] {
        let secret = Array((password ?? "").utf8)
        // The TLS library traps on other passwords.
        guard secret.count < 1_024, secret.allSatisfy({ $0 < 0x80 }) || form == .der else {
            throw ClientIdentity.unusable(
                "The private key uses an old encryption, which takes only ASCII passwords. Convert it: "
                    + "openssl pkcs8 -topk8 -in old.key -out new.key")
        }
        do {
            guard form == .pem else { return try NIOSSLPrivateKey(bytes: bytes, format: .der).derBytes }
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem) { setter in setter(secret) }.derBytes
        } catch {
            let reason = reason(source, isPEM: source.first != 0x30, hasPassword: !secret.isEmpty)
            throw ClientIdentity.unusable(reason, error)
        }
    }

    /// A password-protected key (RFC 5958, 3).
    private struct Encrypted {
        let der: [UInt8]
        let algorithm: PasswordEncryption?
        let content: [UInt8]

        var isModern: Bool { algorithm != nil }

        func decrypt(_ password: String) throws(SternaError) -> [UInt8] {
            do {
                return try algorithm?.decrypt(content, password: password) ?? []
            } catch {
                throw ClientIdentity.unusable(
                    "The private key cannot be decrypted: the password is wrong, or the key is damaged.", error)
            }
        }
    }

    /// Returns the first password-protected key of a text in PEM, or the one of a file in DER; nil if there is none. Throws
    /// `identityUnusable` if it cannot be read, or requests too many rounds.
    private static func encryptedPKCS8(_ bytes: [UInt8]) throws(SternaError) -> Encrypted? {
        let der: [UInt8]
        if isEncryptedDER(bytes) {
            der = bytes
        } else {
            guard bytes.contains("BEGIN ENCRYPTED PRIVATE KEY".utf8) else { return nil }
            der = try encryptedDER(in: String(decoding: bytes, as: UTF8.self))
        }
        do {
            let parts = try PKCS12.children(of: BER.parse(der))
            guard parts.count == 2 else { throw damaged }
            var rounds = PasswordRounds(of: "The private key")
            try rounds.add(algorithm: parts[0])
            let content = try ASN1OctetString(berEncoded: parts[1])
            return Encrypted(der: der, algorithm: try? PasswordEncryption(parts[0]), content: Array(content.bytes))
        } catch {
            throw SternaError.wrap(error, as: .identityUnusable, phase: .prepare, damaged.detail)
        }
    }

    /// Returns whether a file in DER has the form of a password-protected key: an algorithm, and the encrypted octets. Other keys
    /// begin with a version.
    private static func isEncryptedDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == 0x30, let parts = try? PKCS12.children(of: BER.parse(bytes)) else { return false }
        return parts.count == 2 && parts[0].identifier == .sequence && parts[1].identifier == .octetString
    }

    /// Returns the bytes of the first block, with lines of any length.
    private static func encryptedDER(in text: String) throws(SternaError) -> [UInt8] {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----") }) else {
            throw damaged
        }
        let body = lines[(first + 1)...].prefix { !$0.hasPrefix("-----") }
        guard let data = Data(base64Encoded: body.joined().filter { !$0.isWhitespace }) else { throw damaged }
        return Array(data)
    }

    private static var damaged: SternaError {
        ClientIdentity.unusable("The private key cannot be read: it is damaged, or of an unsupported kind.")
    }

    /// Converts a key from the forms that the TLS library writes to PKCS #8 (RFC 5958, 2).
    static func pkcs8(_ key: [UInt8]) throws -> [UInt8] {
        let parts = try PKCS12.children(of: DER.parse(key))
        // PKCS #1 has nine numbers; SEC 1 has the curve under tag 0; all others are PKCS #8.
        let algorithm: ASN1ObjectIdentifier
        var curve: ASN1Node?
        if parts.count == 9 {
            algorithm = RawCertificate.rsa
        } else if parts.count == 4, let named = try PKCS12.children(of: parts[2]).first {
            algorithm = [1, 2, 840, 10_045, 2, 1]
            curve = named
        } else {
            return key
        }
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { info in
            try info.serialize(0)
            try info.appendConstructedNode(identifier: .sequence) { identifier in
                try identifier.serialize(algorithm)
                if let curve {
                    identifier.serializeRawBytes(curve.encodedBytes)
                } else {
                    try identifier.serialize(ASN1Null())
                }
            }
            try info.serialize(ASN1OctetString(contentBytes: key[...]))
        }
        return serializer.serializedBytes
    }

    private static func reason(_ bytes: [UInt8], isPEM: Bool, hasPassword: Bool) -> String {
        guard isPEM else { return "The private key cannot be read: it is not in DER." }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("PRIVATE KEY-----") else {
            return "There is no private key in PEM; name the file that has it."
        }
        guard text.contains("ENCRYPTED") else {
            return damaged.detail
        }
        return hasPassword
            ? "The private key cannot be decrypted: the password is wrong, or the key is damaged."
            : "The private key is encrypted; a password is needed."
    }

    /// Returns whether a key belongs to a certificate.
    ///
    /// The TLS library decides. Its context leaks 4.6 KB when it refuses a key, so a key that certainly belongs to another
    /// certificate is not passed to it.
    static func fits(_ key: [UInt8], _ certificate: [UInt8]) -> Bool {
        guard KeyHalf(privateKey: key)?.differs(from: KeyHalf(certificate: certificate)) != true else { return false }
        guard let own = try? NIOSSLCertificate(bytes: certificate, format: .der),
            let key = try? NIOSSLPrivateKey(bytes: key, format: .der)
        else { return false }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = [.certificate(own)]
        configuration.privateKey = .privateKey(key)
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }

    /// Returns a password-protected PKCS #8 key in PEM, which the TLS library decrypts.
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
