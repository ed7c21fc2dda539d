import SternaCore

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
