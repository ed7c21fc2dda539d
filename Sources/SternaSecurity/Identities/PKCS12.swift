import SternaCore
import SternaPlatform
import SwiftASN1

/// Reads PKCS #12 containers (RFC 7292), since the TLS library's reader traps if a container has no key, or no certificate that
/// fits it.
enum PKCS12 {
    struct Content {
        var certificates: [[UInt8]] = []
        /// PKCS #8 in DER, or in PEM if the password protects it.
        var key: [UInt8] = []
        var isEncrypted = false
    }

    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 6]
    private static let keyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 1]
    private static let shroudedKeyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 2]
    private static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 3]
    private static let safeBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 6]

    /// The maximum number of parts read; programs write two.
    private static let maximumParts = 8

    /// The maximum number of bags read per part, and the maximum depth of nested bags.
    private static let maximumBags = 1_000
    private static let maximumDepth = 4

    /// Returns the certificates and the key; throws `identityUnusable` if one is missing or the password is wrong.
    static func read(_ bytes: [UInt8], password: String) throws(SternaError) -> Content {
        var content = Content()
        do {
            let container = try children(of: BER.parse(bytes))
            guard container.count >= 2 else { throw damaged }
            let (kind, safe) = try contentInfo(container[1])
            guard kind == data, let safe else { throw damaged }
            let entries = try Array(children(of: BER.parse(octets(safe))).prefix(maximumParts))
            // Counts all readable rounds before deriving the first key.
            var rounds = PasswordRounds(of: "The PKCS #12 container")
            if container.count > 2 { try count(code: container[2], in: &rounds) }
            for entry in entries { try count(entry, in: &rounds) }
            var old: [ASN1Node] = []
            for entry in entries {
                let (kind, value) = try contentInfo(entry)
                guard let value else { continue }
                if kind == data {
                    try read(bags: octets(value), into: &content, depth: 0)
                } else if kind == encryptedData {
                    guard let bags = try decrypt(value, password: password) else {
                        old.append(entry)
                        continue
                    }
                    try count(bags: bags, in: &rounds, depth: 0)
                    try read(bags: bags, into: &content, depth: 0)
                }
            }
            if !old.isEmpty, !content.key.isEmpty {
                content.key = try PrivateKeys.read(content.key, password: content.isEncrypted ? password : nil)
                content.isEncrypted = false
                content.certificates += try OldPKCS12.certificates(of: old, key: content.key, password: password)
            }
        } catch {
            throw SternaError.wrap(error, as: .identityUnusable, phase: .prepare, damaged.detail)
        }
        guard !content.key.isEmpty else { throw ClientIdentity.unusable("The PKCS #12 container has no private key.") }
        guard !content.certificates.isEmpty else {
            throw ClientIdentity.unusable("The PKCS #12 container has no certificate.")
        }
        return content
    }

    private static var damaged: SternaError {
        ClientIdentity.unusable("The PKCS #12 container cannot be read: it is damaged, or not a PKCS #12 container.")
    }

    // MARK: Rounds

    /// Counts the rounds of the authentication code (RFC 7292, 4): one if the container states none.
    private static func count(code: ASN1Node, in rounds: inout PasswordRounds) throws {
        let parts = try children(of: code)
        if parts.count > 2 { try rounds.add(parts[2]) }
    }

    /// Counts the rounds of a part that are readable without decrypting it.
    private static func count(_ part: ASN1Node, in rounds: inout PasswordRounds) throws {
        let (kind, value) = try contentInfo(part)
        guard let value else { return }
        if kind == data {
            try count(bags: octets(value), in: &rounds, depth: 0)
        } else if kind == encryptedData {
            try rounds.add(algorithm: encryptedContent(value)[1])
        }
    }

    private static func count(bags bytes: [UInt8], in rounds: inout PasswordRounds, depth: Int) throws {
        guard depth < maximumDepth else { throw damaged }
        for bag in try children(of: BER.parse(bytes)).prefix(maximumBags) {
            let parts = try children(of: bag)
            guard parts.count >= 2, let value = try children(of: parts[1]).first else { throw damaged }
            switch try ASN1ObjectIdentifier(berEncoded: parts[0]) {
            case shroudedKeyBag:
                guard let algorithm = try children(of: value).first else { throw damaged }
                try rounds.add(algorithm: algorithm)
            case safeBag: try count(bags: Array(value.encodedBytes), in: &rounds, depth: depth + 1)
            default: break
            }
        }
    }

    // MARK: Content

    private static func read(bags bytes: [UInt8], into content: inout Content, depth: Int) throws {
        guard depth < maximumDepth else { throw damaged }
        for bag in try children(of: BER.parse(bytes)).prefix(maximumBags) {
            let parts = try children(of: bag)
            guard parts.count >= 2, let value = try children(of: parts[1]).first else { throw damaged }
            switch try ASN1ObjectIdentifier(berEncoded: parts[0]) {
            case keyBag where content.key.isEmpty: content.key = Array(value.encodedBytes)
            case shroudedKeyBag where content.key.isEmpty:
                content.key = PrivateKeys.encryptedPEM(value.encodedBytes)
                content.isEncrypted = true
            case certificateBag:
                let certificate = try children(of: value)
                guard certificate.count == 2, let wrapped = try children(of: certificate[1]).first else { continue }
                let der = try octets(wrapped)
                if RawCertificate(der) != nil { content.certificates.append(der) }
            case safeBag: try read(bags: Array(value.encodedBytes), into: &content, depth: depth + 1)
            default: break
            }
        }
    }

    /// Returns the content of a password-protected message; nil for unsupported methods.
    private static func decrypt(_ message: ASN1Node, password: String) throws -> [UInt8]? {
        let info = try encryptedContent(message)
        let content: [UInt8]
        switch info[2].content {
        case .primitive(let bytes): content = Array(bytes)
        case .constructed(let pieces): content = try pieces.flatMap { try octets($0) }
        }
        guard let method = try? PasswordEncryption(info[1]) else { return nil }
        return try method.decrypt(content, password: password)
    }

    // MARK: Parts

    /// Returns the type, the algorithm and the content of an encrypted message (RFC 2315, 13): at least three parts.
    private static func encryptedContent(_ message: ASN1Node) throws -> [ASN1Node] {
        let parts = try children(of: message)
        guard parts.count >= 2 else { throw damaged }
        let info = try children(of: parts[1])
        guard info.count >= 3 else { throw damaged }
        return info
    }

    private static func contentInfo(_ node: ASN1Node) throws -> (ASN1ObjectIdentifier, ASN1Node?) {
        let parts = try children(of: node)
        guard let first = parts.first else { throw damaged }
        return (try ASN1ObjectIdentifier(berEncoded: first), parts.count > 1 ? try children(of: parts[1]).first : nil)
    }

    static func children(of node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { throw damaged }
        return Array(nodes)
    }

    private static func octets(_ node: ASN1Node) throws -> [UInt8] {
        Array(try ASN1OctetString(berEncoded: node).bytes)
    }
}
