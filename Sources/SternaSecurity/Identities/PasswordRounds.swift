import SternaCore
import SwiftASN1

/// Counts the key derivation rounds of a file before any is performed. Each round costs one or two hashes (RFC 8018, 4.2), and a
/// file may request any number.
struct PasswordRounds {
    /// The maximum number of rounds of all parts of a file, which takes a few seconds. The TLS library accepts ten times as many
    /// for each part.
    static let maximum = 10_000_000

    /// The key derivation methods of the TLS library: SHA-1 with RC4, Triple DES and RC2 (RFC 7292, appendix C).
    private static let oldMethods: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113_549, 1, 12, 1, 1], [1, 2, 840, 113_549, 1, 12, 1, 3], [1, 2, 840, 113_549, 1, 12, 1, 6],
    ]
    private static let pbes2: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 13]
    private static let pbkdf2: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 12]

    /// The maximum length of a number in bytes, with which the sum of two numbers does not overflow.
    private static let longestNumber = 7

    private let file: String
    private(set) var total = 0

    /// - Parameter file: the start of error messages, such as "The private key".
    init(of file: String) { self.file = file }

    /// Adds the rounds of an encryption algorithm (RFC 8018, A.4; RFC 7292, appendix C).
    ///
    /// Other algorithms have none: neither this code nor the TLS library supports them.
    mutating func add(algorithm: ASN1Node) throws {
        let parts = try PKCS12.children(of: algorithm)
        guard let first = parts.first else { throw unreadable }
        let method = try ASN1ObjectIdentifier(berEncoded: first)
        if Self.oldMethods.contains(method) {
            guard parts.count > 1 else { throw unreadable }
            try add(numberIn: parts[1])
        } else if method == Self.pbes2 {
            guard parts.count > 1, let derivation = try PKCS12.children(of: parts[1]).first else { throw unreadable }
            let scheme = try PKCS12.children(of: derivation)
            guard scheme.count > 1 else { throw unreadable }
            if try ASN1ObjectIdentifier(berEncoded: scheme[0]) == Self.pbkdf2 { try add(numberIn: scheme[1]) }
        }
    }

    /// Adds the rounds of parameters that begin with the salt and the rounds, as all supported ones do.
    private mutating func add(numberIn parameters: ASN1Node) throws {
        let values = try PKCS12.children(of: parameters)
        guard values.count > 1 else { throw unreadable }
        try add(values[1])
    }

    /// Adds a number of rounds; throws `identityUnusable` if it is not positive or the sum exceeds the limit.
    mutating func add(_ number: ASN1Node) throws {
        guard number.identifier == .integer, case .primitive(let bytes) = number.content, let first = bytes.first else {
            throw unreadable
        }
        guard first < 0x80 else {
            throw ClientIdentity.unusable("\(file) asks for a negative number of password rounds.")
        }
        let digits = bytes.drop { $0 == 0 }
        guard digits.count <= Self.longestNumber else { throw tooMany("2^56 or more password rounds") }
        let count = digits.reduce(0) { $0 << 8 | Int($1) }
        guard count > 0 else {
            throw ClientIdentity.unusable("\(file) asks for 0 password rounds; the minimum is 1.")
        }
        let isFirst = total == 0
        total += count
        guard total <= Self.maximum else {
            throw tooMany("\(Self.grouped(total)) password rounds\(isFirst ? "" : " in several parts")")
        }
    }

    private func tooMany(_ what: String) -> SternaError {
        ClientIdentity.unusable(
            "\(file) asks for \(what), more than the \(Self.grouped(Self.maximum)) that are accepted.")
    }

    private var unreadable: SternaError {
        ClientIdentity.unusable("\(file) cannot be read: the parameters of its encryption are damaged.")
    }

    /// Formats a number with a comma before each three digits.
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.indices.map { index in
            (index > 0 && (digits.count - index).isMultiple(of: 3) ? "," : "") + String(digits[index])
        }.joined()
    }
}
