import Crypto
import NIOSSL
import SternaCore
import SternaPlatform
import SwiftASN1
import X509

/// Decrypts certificates of containers with legacy encryption, which only the TLS library supports.
///
/// The TLS library's reader traps if no certificate fits the key. Therefore a new container is made of the encrypted parts and a
/// certificate that fits, with the same password. The key is first and unencrypted: the reader refuses a second key before it
/// performs any key derivation rounds for it.
enum OldPKCS12 {
    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]

    /// Returns the certificates of encrypted parts; throws `identityUnusable`.
    ///
    /// - Parameters:
    ///   - parts: the container's encrypted messages, unchanged.
    ///   - key: the container's private key in DER, decrypted.
    static func certificates(of parts: [ASN1Node], key: [UInt8], password: String) throws(SternaError) -> [[UInt8]] {
        do {
            let own = try standIn(for: key)
            guard PrivateKeys.fits(key, own), !password.utf8.contains(0) else { throw unusable(nil) }
            let safe = try safe(parts, and: own, of: key)
            let container = try container(safe, password: password)
            let bundle = try NIOSSLPKCS12Bundle(buffer: container, passphrase: Array(password.utf8))
            return try bundle.certificateChain.map { try $0.toDERBytes() }.filter { $0 != own }
        } catch {
            throw SternaError.wrap(error, as: .identityUnusable, phase: .prepare, unusable(nil).detail)
        }
    }

    private static func unusable(_ cause: (any Error)?) -> SternaError {
        ClientIdentity.unusable(
            "The PKCS #12 container cannot be decrypted: the password is wrong, or it is damaged, or of an unsupported kind. "
                + "Convert it: openssl pkcs12 -legacy -in old.p12 -nodes | openssl pkcs12 -export -out new.p12", cause
        ).advised(.inDetail)
    }

    /// Makes a self-signed certificate of the key, with an arbitrary subject.
    private static func standIn(for key: [UInt8]) throws -> [UInt8] {
        let forms = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]
        let keys = forms.lazy.compactMap {
            try? Certificate.PrivateKey(pemEncoded: PEMDocument(type: $0, derBytes: key).pemString)
        }
        guard let key = keys.first else { throw unusable(nil) }
        let name = try DistinguishedName { CommonName("stand-in") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSince1970: 0),
            notValidAfter: Date(timeIntervalSince1970: 1), issuer: name, subject: name, extensions: .init(),
            issuerPrivateKey: key)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    // MARK: RFC 7292

    private static func safe(_ parts: [ASN1Node], and certificate: [UInt8], of key: [UInt8]) throws -> [UInt8] {
        let keyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 1]
        let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 3]
        let x509: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 22, 1]
        let key = try PrivateKeys.pkcs8(key)
        var first = DER.Serializer()
        try bag(keyBag, into: &first) { $0.serializeRawBytes(key) }
        var last = DER.Serializer()
        try bag(certificateBag, into: &last) { value in
            try value.appendConstructedNode(identifier: .sequence) { entry in
                try entry.serialize(x509)
                try tagged(&entry) { try $0.serialize(ASN1OctetString(contentBytes: certificate[...])) }
            }
        }
        var safe = DER.Serializer()
        try safe.appendConstructedNode(identifier: .sequence) { safe in
            try message(first.serializedBytes, into: &safe)
            for part in parts { safe.serializeRawBytes(part.encodedBytes) }
            try message(last.serializedBytes, into: &safe)
        }
        return safe.serializedBytes
    }

    /// Returns a list of one bag.
    private static func bag(
        _ kind: ASN1ObjectIdentifier, into serializer: inout DER.Serializer,
        _ value: (inout DER.Serializer) throws -> Void
    ) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { bags in
            try bags.appendConstructedNode(identifier: .sequence) { bag in
                try bag.serialize(kind)
                try tagged(&bag, value)
            }
        }
    }

    private static func container(_ safe: [UInt8], password: String) throws -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let rounds = 2_048
        let code = HMAC<SHA256>.authenticationCode(
            for: safe, using: SymmetricKey(data: macKey(password, salt, rounds: rounds)))
        var container = DER.Serializer()
        try container.appendConstructedNode(identifier: .sequence) { container in
            try container.serialize(3)
            try message(safe, into: &container)
            try container.appendConstructedNode(identifier: .sequence) { mac in
                try mac.appendConstructedNode(identifier: .sequence) { digest in
                    try digest.appendConstructedNode(identifier: .sequence) { algorithm in
                        try algorithm.serialize(sha256)
                        try algorithm.serialize(ASN1Null())
                    }
                    try digest.serialize(ASN1OctetString(contentBytes: Array(code)[...]))
                }
                try mac.serialize(ASN1OctetString(contentBytes: salt[...]))
                try mac.serialize(rounds)
            }
        }
        return container.serializedBytes
    }

    private static func message(_ content: [UInt8], into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { message in
            try message.serialize(data)
            try tagged(&message) { try $0.serialize(ASN1OctetString(contentBytes: content[...])) }
        }
    }

    private static func tagged(
        _ serializer: inout DER.Serializer, _ content: (inout DER.Serializer) throws -> Void
    ) throws {
        try serializer.appendConstructedNode(
            identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific), content)
    }

    /// Derives the key of the container's authentication code (RFC 7292, appendix B.2, of one block).
    private static func macKey(_ password: String, _ salt: [UInt8], rounds: Int) -> [UInt8] {
        let block = 64
        let text: [UInt8] =
            password.utf16.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] } + [0, 0]
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            let count = (bytes.count + block - 1) / block * block
            return (0..<count).map { bytes[$0 % bytes.count] }
        }
        var key = Array(SHA256.hash(data: [UInt8](repeating: 3, count: block) + filled(salt) + filled(text)))
        for _ in 1..<rounds { key = Array(SHA256.hash(data: key)) }
        return key
    }
}
