package import HTTPTypes
import NIOCore
import RawStructuredFieldValues
package import SternaCore
import SternaPlatform

/// Reads and writes Content-Digest and Repr-Digest: dictionaries of algorithms and byte sequences (RFC 9530, 2 and 3; RFC 9651).
package enum DigestField {
    package static let content = HTTPField.Name("Content-Digest") ?? .contentType
    static let representation = HTTPField.Name("Repr-Digest") ?? .contentType
    static let wantedContent = HTTPField.Name("Want-Content-Digest") ?? .contentType
    static let wantedRepresentation = HTTPField.Name("Want-Repr-Digest") ?? .contentType

    /// Returns the digests with known algorithms in a field's lines.
    ///
    /// Other algorithms, and digests of a wrong length, are ignored. The whole field is ignored if its syntax is invalid, as RFC
    /// 9651, 4.2, requires, or if it is longer than ``longest``.
    static func digests(_ lines: [String], _ source: ExpectedDigest.Source) -> [ExpectedDigest] {
        guard lines.reduce(0, { $0 + $1.utf8.count }) <= longest else { return [] }
        var parser = StructuredFieldValueParser(Array(lines.joined(separator: ", ").utf8))
        guard !lines.isEmpty, let members = try? parser.parseDictionaryFieldValue() else { return [] }
        return DigestAlgorithm.allCases.compactMap { algorithm in
            guard case .item(let item) = members[algorithm.rawValue],
                case .undecodedByteSequence(let text) = item.rfc9651BareItem,
                let value = ExpectedDigest.bytes(base64: text)
            else { return nil }
            return ExpectedDigest(algorithm, value, source)
        }
    }

    /// Checks content against the lines of Content-Digest, and returns whether they have a known digest; throws `digestMismatch`.
    package static func check(_ content: Bytes, _ lines: [String]) throws(SternaError) -> Bool {
        let digests = digests(lines, .contentField)
        for digest in digests {
            var hasher = DigestHasher(digest.algorithm)
            hasher.update(content)
            if let error = hasher.verdict([digest], of: "the content") { throw error }
        }
        return !digests.isEmpty
    }

    /// Returns a field's value.
    package static func text(_ digests: [(algorithm: String, bytes: [UInt8])]) -> String {
        digests.map { "\($0.algorithm)=:\(Data($0.bytes).base64EncodedString()):" }.joined(separator: ", ")
    }

    /// Returns the value of Content-Digest for a body, which must be replayable; nil means an empty body.
    package static func text(of body: Body?, by algorithms: [DigestAlgorithm] = [.sha256]) async throws -> String {
        var hashers = algorithms.map { DigestHasher($0) }
        if let body {
            var reader = BodyReader(body)
            while let piece = try await reader.next() {
                for index in hashers.indices { hashers[index].update(piece) }
            }
        }
        return text(hashers.map { ($0.algorithm.rawValue, $0.digest()) })
    }

    /// The maximum length of a field in bytes: the library's parser takes quadratic time.
    static let longest = 4_096
}
