import NIOCore
import SternaCore

/// The digest of one response's content, computed while it arrives.
struct ContentDigest: Sendable {
    private let expected: [ExpectedDigest]
    private var hasher: DigestHasher?

    /// Expects the Content-Digest of a response with a part of the file; for a whole file, it is verified with the file.
    init(_ response: Response) {
        expected =
            ExpectedDigests(
                status: response.status.code, fields: response.section,
                isCoded: response.section.contains(.contentEncoding), caller: nil
            ).content
        hasher = expected.first.map { DigestHasher($0.algorithm) }
    }

    /// Adds a piece of the content.
    mutating func add(_ piece: Bytes) { hasher?.update(piece) }

    /// Returns the error if the complete content does not have the stated digest.
    func verdict() -> SternaError? { hasher?.verdict(expected, of: "the part of the file") }
}
