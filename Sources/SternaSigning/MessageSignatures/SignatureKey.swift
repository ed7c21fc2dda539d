import Crypto
public import SternaCore
import SternaPlatform

/// A key that signs or verifies messages (RFC 9421, 3.3). Descriptions and mirrors do not show it.
public struct SignatureKey: Sendable {
    /// An algorithm of the registry (RFC 9421, 6.2.2).
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case hmacSHA256 = "hmac-sha256"
        case ed25519
        case ecdsaP256SHA256 = "ecdsa-p256-sha256"
    }

    private enum Material: Sendable {
        case secret(SymmetricKey)
        case ed25519Private(Curve25519.Signing.PrivateKey)
        case ed25519Public(Curve25519.Signing.PublicKey)
        case p256Private(P256.Signing.PrivateKey)
        case p256Public(P256.Signing.PublicKey)
    }

    /// The key's name, which signatures carry as `keyid`.
    public let id: String

    /// The key's algorithm.
    public let algorithm: Algorithm
    private let material: Material

    private init(_ id: String, _ algorithm: Algorithm, _ material: Material) {
        (self.id, self.algorithm, self.material) = (id, algorithm, material)
    }

    /// Makes a shared key for HMAC with SHA-256 (RFC 9421, 3.3.3).
    public static func hmacSHA256(id: String, secret: some Sequence<UInt8>) -> SignatureKey {
        SignatureKey(id, .hmacSHA256, .secret(SymmetricKey(data: Data(secret))))
    }

    /// Makes a private key for Ed25519 of its 32 bytes (RFC 8032, 5.1.5), which are the last 32 bytes of OpenSSL's DER form. Throws
    /// `invalidRequest` for other bytes.
    public static func ed25519(id: String, privateKey: some Sequence<UInt8>) throws(SternaError) -> SignatureKey {
        try make(id) { SignatureKey(id, .ed25519, .ed25519Private(try .init(rawRepresentation: Data(privateKey)))) }
    }

    /// Makes a public key for Ed25519 of its 32 bytes; throws `invalidRequest` for other bytes.
    public static func ed25519(id: String, publicKey: some Sequence<UInt8>) throws(SternaError) -> SignatureKey {
        try make(id) { SignatureKey(id, .ed25519, .ed25519Public(try .init(rawRepresentation: Data(publicKey)))) }
    }

    /// Makes a private key for ECDSA on the curve P-256 of its 32-byte scalar; throws `invalidRequest` for other bytes.
    public static func ecdsaP256(id: String, privateKey: some Sequence<UInt8>) throws(SternaError) -> SignatureKey {
        try make(id) {
            SignatureKey(id, .ecdsaP256SHA256, .p256Private(try .init(rawRepresentation: Data(privateKey))))
        }
    }

    /// Makes a public key for ECDSA on the curve P-256 of the two 32-byte coordinates of its point; throws `invalidRequest` for
    /// other bytes.
    public static func ecdsaP256(id: String, publicKey: some Sequence<UInt8>) throws(SternaError) -> SignatureKey {
        try make(id) { SignatureKey(id, .ecdsaP256SHA256, .p256Public(try .init(rawRepresentation: Data(publicKey)))) }
    }

    /// Makes a key for ECDSA on the curve P-256 of a PEM block: a private key in SEC 1 or PKCS #8, or a public key. Throws
    /// `invalidRequest` for other text.
    public static func ecdsaP256(id: String, pem: String) throws(SternaError) -> SignatureKey {
        try make(id) {
            let material: Material =
                pem.contains("PUBLIC KEY")
                ? .p256Public(try .init(pemRepresentation: pem)) : .p256Private(try .init(pemRepresentation: pem))
            return SignatureKey(id, .ecdsaP256SHA256, material)
        }
    }

    private static func make(_ id: String, _ make: () throws -> SignatureKey) throws(SternaError) -> SignatureKey {
        do {
            return try make()
        } catch {
            // The underlying error is left out, since it may quote the key.
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The signature key “\(FieldSyntax.printable(id))” has invalid bytes for its algorithm.")
        }
    }

    /// Returns the signature of a text; throws `invalidRequest` for a public key.
    func sign(_ text: String) throws -> [UInt8] {
        let text = Data(text.utf8)
        switch material {
        case .secret(let key): return Array(HMAC<SHA256>.authenticationCode(for: text, using: key))
        case .ed25519Private(let key): return Array(try key.signature(for: text))
        case .p256Private(let key): return Array(try key.signature(for: text).rawRepresentation)
        case .ed25519Public, .p256Public:
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The signature key “\(FieldSyntax.printable(id))” is a public key, which verifies but does not sign.")
        }
    }

    /// Returns whether a signature is valid for a text.
    func isValid(_ signature: [UInt8], of text: String) -> Bool {
        let text = Data(text.utf8)
        switch material {
        case .secret(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: text, using: key)
        case .ed25519Private(let key): return key.publicKey.isValidSignature(signature, for: text)
        case .ed25519Public(let key): return key.isValidSignature(signature, for: text)
        case .p256Private(let key): return Self.isValid(signature, of: text, key.publicKey)
        case .p256Public(let key): return Self.isValid(signature, of: text, key)
        }
    }

    private static func isValid(_ signature: [UInt8], of text: Data, _ key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: text)
    }
}

extension SignatureKey: CustomStringConvertible, CustomReflectable {
    /// The key's name and algorithm.
    public var description: String { "SignatureKey(\(FieldSyntax.printable(id)), \(algorithm.rawValue))" }

    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "algorithm": algorithm.rawValue], displayStyle: .struct)
    }
}
