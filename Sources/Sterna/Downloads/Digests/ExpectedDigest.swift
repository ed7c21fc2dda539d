import Crypto
import SternaCore
import SternaPlatform

/// A hash algorithm for the integrity of files (RFC 9530, 5).
enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable, Comparable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// The length of a digest in bytes.
    var length: Int { self == .sha256 ? SHA256.byteCount : SHA512.byteCount }

    /// Whether the left algorithm is weaker.
    static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool { left.length < right.length }
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

/// The digests that a download verifies.
struct ExpectedDigests: Sendable, Hashable {
    /// The digests of one response's content; set for a 206 only.
    private(set) var content: [ExpectedDigest] = []

    /// The digests of the complete file.
    private(set) var file: [ExpectedDigest] = []

    /// Makes the digests to verify from a response's fields and the caller's digest.
    ///
    /// Content-Digest covers the content of its message, which is a part in a 206; Repr-Digest covers the whole representation in
    /// any response (RFC 9530, 2 and 3). In a 200, both cover the file. Both are computed over the coded bytes (RFC 9530, appendix
    /// A), so they do not apply to a file whose coding was undone.
    ///
    /// Of the server's digests, those with the strongest algorithm are verified, or, with a caller's digest, those with its
    /// algorithm, so that the file is hashed once.
    ///
    /// - Parameters:
    ///   - status: the status code, 200 or 206.
    ///   - isCoded: whether the response has a content coding that is undone for the file.
    init(status: Int, fields: FieldSection, isCoded: Bool, caller: ExpectedDigest?) {
        if let caller { file.append(caller) }
        guard !isCoded else { return }
        let ofContent = DigestField.digests(fields[values: "Content-Digest"], .contentField)
        let ofFile = DigestField.digests(fields[values: "Repr-Digest"], .representationField)
        let isPart = status == 206
        content = isPart ? Self.strongest(ofContent) : []
        let whole = isPart ? ofFile : ofFile + ofContent
        if let caller {
            file += whole.filter { $0.algorithm == caller.algorithm }
        } else {
            file = Self.strongest(whole)
        }
    }

    /// The algorithm to hash the file with; nil if no digest covers it.
    var fileAlgorithm: DigestAlgorithm? { file.first?.algorithm }

    /// The algorithm to hash this response's content with; nil if no digest covers it.
    var contentAlgorithm: DigestAlgorithm? { content.first?.algorithm }

    private static func strongest(_ digests: [ExpectedDigest]) -> [ExpectedDigest] {
        let algorithm = digests.map(\.algorithm).max()
        return digests.filter { $0.algorithm == algorithm }
    }
}
