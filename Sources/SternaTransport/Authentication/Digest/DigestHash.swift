import SternaCore

/// A hash algorithm of Digest authentication (RFC 7616, 6.1), and SHA-512, which is not registered but in use.
///
/// Algorithms are compared by strength. With a `-sess` form, the password is hashed once for an authentication session.
package enum DigestHash: String, Sendable, Hashable, CaseIterable, Comparable {
    // From the weakest to the strongest.
    case md5 = "MD5"
    case md5Sess = "MD5-sess"
    case sha256 = "SHA-256"
    case sha256Sess = "SHA-256-sess"
    case sha512Truncated = "SHA-512-256"
    case sha512TruncatedSess = "SHA-512-256-sess"
    case sha512 = "SHA-512"

    /// Finds an algorithm by its name in any case; nil for any other.
    package init?(token: String) {
        let known = Self.allCases.first { AuthenticationChallenge.isSame($0.rawValue, token) }
        guard let known else { return nil }
        self = known
    }

    /// The position in the order of strength: MD5, SHA-256, SHA-512/256, SHA-512; `-sess` is stronger than the same without.
    package var strength: Int {
        switch self {
        case .md5: 0
        case .md5Sess: 1
        case .sha256: 2
        case .sha256Sess: 3
        case .sha512Truncated: 4
        case .sha512TruncatedSess: 5
        case .sha512: 6
        }
    }

    package static func < (left: DigestHash, right: DigestHash) -> Bool { left.strength < right.strength }

    /// Whether the password's hash contains the first nonces of a session (RFC 7616, 3.4.2).
    package var isSession: Bool {
        switch self {
        case .md5Sess, .sha256Sess, .sha512TruncatedSess: true
        case .md5, .sha256, .sha512Truncated, .sha512: false
        }
    }

    /// Returns the hash of bytes.
    package func hash(_ bytes: some Collection<UInt8>) -> [UInt8] { DigestFunction.hash(Array(bytes), by: self) }

    /// Returns the hash of a text's UTF-8 as lower-case hexadecimal digits: H in RFC 7616, 3.3.
    package func hex(_ text: String) -> String { Self.hex(hash(text.utf8)) }

    /// Returns bytes as lower-case hexadecimal digits.
    package static func hex(_ bytes: [UInt8]) -> String {
        // Of bytes, since each character that a string appends costs hundreds of instructions.
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
}
