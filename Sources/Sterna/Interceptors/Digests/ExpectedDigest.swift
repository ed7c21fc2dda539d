import Crypto
import HTTPTypes
import SternaCore
import SternaPlatform

/// A hash algorithm of digest fields (RFC 9530, 5).
package enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable, Comparable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// The length of a digest in bytes.
    var length: Int { self == .sha256 ? SHA256.byteCount : SHA512.byteCount }

    /// Whether the left algorithm is weaker.
    package static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool { left.length < right.length }
}

/// A digest that bytes must have.
package struct ExpectedDigest: Sendable, Hashable {
    /// Where the digest comes from.
    enum Source: Sendable, Hashable {
        case caller
        /// The field Content-Digest.
        case contentField
        /// The field Repr-Digest.
        case representationField

        /// The source's name in messages.
        var name: String {
            switch self {
            case .caller: "given for the download"
            case .contentField: "of the server's Content-Digest"
            case .representationField: "of the server's Repr-Digest"
            }
        }

        /// The field; nil for a caller's digest.
        var field: HTTPField.Name? {
            switch self {
            case .caller: nil
            case .contentField: DigestField.content
            case .representationField: DigestField.representation
            }
        }
    }

    var algorithm: DigestAlgorithm
    package var value: [UInt8]
    var source: Source

    /// Makes a digest; nil if its length does not fit the algorithm.
    init?(_ algorithm: DigestAlgorithm, _ value: [UInt8], _ source: Source) {
        guard value.count == algorithm.length else { return nil }
        self.algorithm = algorithm
        self.value = value
        self.source = source
    }

    /// Parses a SHA-256 in 64 hexadecimal digits of any case, or in base64; throws `invalidRequest`.
    package init(sha256 text: String) throws(SternaError) {
        let bytes =
            text.utf8.count == 2 * SHA256.byteCount ? HexText.bytes(of: text) : Self.bytes(base64: text)
        guard let digest = bytes.flatMap({ ExpectedDigest(.sha256, $0, .caller) }) else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "“\(FieldSyntax.printable(text))” is not a SHA-256: that has 64 hexadecimal digits, or 44 characters in base64."
            )
        }
        self = digest
    }

    /// Returns the bytes of base64 with or without padding; nil if it is invalid.
    package static func bytes(base64 text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map(Array.init)
    }
}
