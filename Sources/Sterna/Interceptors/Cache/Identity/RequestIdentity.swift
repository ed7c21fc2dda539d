import Crypto
import HTTPTypes
import SternaCore
import SternaSecurity

/// The identity of a session's requests, which decides what stored responses and requests in flight they may share.
///
/// It consists of the caller's Authorization and Cookie fields, the fields marked as secret, the credentials of Digest and of
/// signatures, the client certificate, the cookie jar, and the session's label. The jar's cookies are not part of it: a login
/// changes what `Vary: Cookie` selects, not the identity.
struct RequestIdentity: Sendable {
    /// The session's label; nil for none.
    var label: String?
    var jar: CookieJar?
    var cookieSecurity = CookieSecurity()
    var securityPolicy = SecurityPolicy.system
    var hostPolicies = HostPolicies()

    init(_ settings: SessionSettings) {
        label = settings.auth.identityLabel
        jar = settings.cookies.jar
        cookieSecurity = CookieSecurity(settings)
        (securityPolicy, hostPolicies) = (settings.trust.policy, settings.trust.hosts)
    }

    /// Returns bytes that identify the signer of a request, which are a secret; empty if it is not signed. Throws the errors of the
    /// credentials' provider.
    nonisolated(nonsending) static func signer(of request: Request) async throws -> [UInt8] {
        guard request.isSigned else { return [] }
        var parts = IdentityParts()
        for signer in request.options[SigningKey.self].all.compactMap(\.signer) {
            for text in try await signer.identity() { parts.add(.signer, text.utf8) }
        }
        return parts.bytes
    }

    /// Returns the partition of a request that does not have the jar's cookies yet.
    ///
    /// - Parameter signer: the result of ``signer(of:)``.
    func partition(of request: Request, signer: [UInt8] = [], _ secret: IdentitySecret) -> CachePartition {
        var parts = IdentityParts()
        if let label { parts.add(.label, label.utf8) }
        if let own = jar?.identity { parts.add(.jar, own) }
        if request.url.scheme.isSecure {
            let policy = hostPolicies.policy(for: request.url.hostWithoutBrackets) ?? securityPolicy
            if policy.hasIdentity, let certificate = policy.currentIdentity?.certificates.first {
                parts.add(.certificate, certificate)
            }
        }
        if !signer.isEmpty { parts.add(.signer, signer) }
        // Digest's field differs with each request, so its credentials identify the caller instead.
        let digest = request.state.access.digestIdentity
        if let digest { parts.add(.authorization, digest) }
        for name in [HTTPField.Name.authorization, .cookie] where request.headers.contains(name) {
            if name == .authorization, digest != nil { continue }
            for value in request.headers[values: name] {
                parts.add(name == .cookie ? .cookie : .authorization, value.utf8)
            }
        }
        let secretNames = request.options[SecretHeadersKey.self]
        guard !secretNames.isEmpty else { return secret.partition(parts) }
        for name in secretNames.map({ $0.lowercased() }).sorted() {
            guard let name = HTTPField.Name(name), name != .authorization, name != .cookie else { continue }
            for value in request.headers[values: name] {
                parts.add(.field, name.canonicalName.utf8)
                parts.add(.field, value.utf8)
            }
        }
        return secret.partition(parts)
    }
}

/// The parts of an identity, encoded so that different identities have different bytes.
struct IdentityParts: Sendable, Hashable {
    enum Kind: UInt8, Sendable {
        case label, jar, certificate, authorization, cookie, field, signer
    }

    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) {
        // An array that reserves no capacity is allocated nevertheless.
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    mutating func add(_ kind: Kind, _ value: some Collection<UInt8>) {
        bytes.append(kind.rawValue)
        // The length separates a value from the next part.
        LittleEndian.append(UInt64(value.count), to: &bytes)
        bytes += value
    }
}

/// The key that hashes identities and secret fields, so that neither can be guessed from what is stored.
struct IdentitySecret: Sendable {
    /// The length of a key in bytes.
    static let size = 32

    private let key: SymmetricKey

    /// The partition of requests that do not identify a caller.
    let anonymous: CachePartition

    /// Makes a random key.
    init() { self.init(SymmetricKey(size: .bits256)) }

    /// Makes a key of ``size`` bytes; nil for another length.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.init(SymmetricKey(data: bytes))
    }

    private init(_ key: SymmetricKey) {
        self.key = key
        anonymous = CachePartition(Self.hash([], key, purpose: .identity))
    }

    /// The bytes of the key. **They are a secret.**
    var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

    private enum Purpose: UInt8 {
        case identity, field
    }

    func partition(_ parts: IdentityParts) -> CachePartition {
        parts.bytes.isEmpty ? anonymous : CachePartition(Self.hash(parts.bytes, key, purpose: .identity))
    }

    /// Returns a hash that stands for the value of a secret field.
    func cover(_ value: String) -> String {
        Self.hash(Array(value.utf8), key, purpose: .field).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private static func hash(_ bytes: [UInt8], _ key: SymmetricKey, purpose: Purpose) -> [UInt8] {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: [purpose.rawValue])
        hash.update(data: bytes)
        return Array(hash.finalize())
    }
}
