import Crypto
import SternaCore
import SternaPlatform

/// A hash algorithm for the integrity of files (RFC 9530, 5).
enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable, Comparable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// The length of a digest in bytes.
    var length: Int { self == .sha256 ? SHA256.byteCount : SHA512.byteCount }

    /// Whether the left one is the weaker.
    static func < (left: DigestAlgorithm, right: DigestAlgorithm) -> Bool { left.length < right.length }
}

/// A digest that bytes have to have.
package struct ExpectedDigest: Sendable, Hashable {
    /// What states the digest.
    enum Source: Sendable, Hashable {
        case caller
        /// Content-Digest.
        case contentField
        /// Repr-Digest.
        case representationField

        /// The name for messages.
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

    /// Makes a digest; nil if its length is not that of the algorithm.
    init?(_ algorithm: DigestAlgorithm, _ value: [UInt8], _ source: Source) {
        guard value.count == algorithm.length else { return nil }
        self.algorithm = algorithm
        self.value = value
        self.source = source
    }

    /// Reads a SHA-256 that a user gives, as 64 hexadecimal digits in any case or in base64; throws `invalidRequest`.
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

    /// Returns the bytes of base64 with or without padding; nil for anything else.
    static func bytes(base64 text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map(Array.init)
    }
}

/// The digests to verify of a download.
struct ExpectedDigests: Sendable, Hashable {
    /// The digests of the content of this one response; for a 206 that of the part alone.
    private(set) var content: [ExpectedDigest] = []

    /// The digests of the complete file.
    private(set) var file: [ExpectedDigest] = []

    /// Makes the digests to verify from the fields of a response and the caller's.
    ///
    /// Content-Digest is of the content of its message, so of a part in a 206; Repr-Digest is of the whole representation in any
    /// response (RFC 9530, 2 and 3). The content of a 200 is the whole representation, and both are of the file then. Both are
    /// taken over the coded bytes (RFC 9530, appendix A), so they say nothing of a file that a coding was undone for.
    ///
    /// Of the server's digests those of its strongest algorithm are verified; with a caller's those of the same algorithm, so that
    /// the file is hashed once.
    ///
    /// - Parameters:
    ///   - status: the status code: 200 or 206.
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

    /// The algorithm that the file is hashed with; nil without a digest of it.
    var fileAlgorithm: DigestAlgorithm? { file.first?.algorithm }

    /// The algorithm that the content of this response is hashed with; nil without a digest of it.
    var contentAlgorithm: DigestAlgorithm? { content.first?.algorithm }

    private static func strongest(_ digests: [ExpectedDigest]) -> [ExpectedDigest] {
        let algorithm = digests.map(\.algorithm).max()
        return digests.filter { $0.algorithm == algorithm }
    }
}
