import Crypto
import SternaCore
import SwiftASN1
import _CryptoExtras

/// Password-based encryption: PBES2 with PBKDF2 and AES (RFC 8018, 6.2).
struct PasswordEncryption {
    private let salt: [UInt8]
    private let rounds: Int
    private let hash: KDF.Insecure.PBKDF2.HashFunction
    private let keyBytes: Int
    private let vector: [UInt8]

    /// Reads the algorithm's identifier and parameters; throws `identityUnusable` for unsupported ones.
    init(_ algorithm: ASN1Node) throws {
        let parts = try PKCS12.children(of: algorithm)
        guard let first = parts.first, try ASN1ObjectIdentifier(berEncoded: first) == [1, 2, 840, 113_549, 1, 5, 13],
            parts.count == 2
        else { throw Self.unknown }
        let schemes = try PKCS12.children(of: parts[1])
        guard schemes.count == 2 else { throw Self.unknown }
        let derivation = try PKCS12.children(of: schemes[0])
        guard derivation.count == 2,
            try ASN1ObjectIdentifier(berEncoded: derivation[0]) == [1, 2, 840, 113_549, 1, 5, 12]
        else { throw Self.unknown }
        let parameters = try PKCS12.children(of: derivation[1])
        guard parameters.count >= 2 else { throw Self.unknown }
        salt = Array(try ASN1OctetString(berEncoded: parameters[0]).bytes)
        rounds = try Int(berEncoded: parameters[1])
        guard (1...PasswordRounds.maximum).contains(rounds) else { throw Self.unknown }
        hash = try Self.hash(parameters.dropFirst(2).first { $0.identifier == .sequence })
        let cipher = try PKCS12.children(of: schemes[1])
        guard cipher.count == 2,
            let keyBytes = Self.keyBytes[try ASN1ObjectIdentifier(berEncoded: cipher[0])]
        else { throw Self.unknown }
        self.keyBytes = keyBytes
        vector = Array(try ASN1OctetString(berEncoded: cipher[1]).bytes)
        guard vector.count == 16 else { throw Self.unknown }
    }

    private static let keyBytes: [ASN1ObjectIdentifier: Int] = [
        [2, 16, 840, 1, 101, 3, 4, 1, 2]: 16, [2, 16, 840, 1, 101, 3, 4, 1, 22]: 24,
        [2, 16, 840, 1, 101, 3, 4, 1, 42]: 32,
    ]

    private static func hash(_ algorithm: ASN1Node?) throws -> KDF.Insecure.PBKDF2.HashFunction {
        guard let algorithm else { return .insecureSHA1 }
        guard let first = try PKCS12.children(of: algorithm).first else { throw unknown }
        switch try ASN1ObjectIdentifier(berEncoded: first) {
        case [1, 2, 840, 113_549, 2, 7]: return .insecureSHA1
        case [1, 2, 840, 113_549, 2, 9]: return .sha256
        case [1, 2, 840, 113_549, 2, 10]: return .sha384
        case [1, 2, 840, 113_549, 2, 11]: return .sha512
        default: throw unknown
        }
    }

    private static var unknown: SternaError {
        ClientIdentity.unusable("It is encrypted with an unsupported method.")
    }

    /// Returns the decrypted content; throws `identityUnusable` for a wrong password.
    ///
    /// With a wrong password the padding is valid once in 256 times, so the content is checked, too: it is a sequence in every
    /// format.
    func decrypt(_ content: [UInt8], password: String) throws -> [UInt8] {
        do {
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: Array(password.utf8), salt: salt, using: hash, outputByteCount: keyBytes,
                unsafeUncheckedRounds: rounds)
            let plain = Array(try AES._CBC.decrypt(content, using: key, iv: AES._CBC.IV(ivBytes: vector)))
            _ = try PKCS12.children(of: BER.parse(plain))
            return plain
        } catch {
            throw ClientIdentity.unusable(
                "The PKCS #12 container cannot be decrypted: the password is wrong, or it is damaged.", error)
        }
    }
}
