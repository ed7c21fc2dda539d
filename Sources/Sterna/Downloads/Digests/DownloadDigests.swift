import NIOCore
import SternaCore

/// The digests of a downloaded file, computed while its bytes arrive in order.
struct DownloadDigests: Sendable {
    /// The caller's digest of the file.
    var caller: ExpectedDigest?

    private var file: [ExpectedDigest] = []
    private var fileHasher: DigestHasher?

    // The position after the last byte that was hashed.
    private var hashed: Int64 = 0

    /// Expects the digests in a response that has the whole file.
    mutating func begin(_ response: Response) {
        expect(response)
        hashed = 0
        fileHasher = file.first.map { DigestHasher($0.algorithm) }
    }

    /// Expects the digests of the whole file in a response that has a part of it.
    mutating func expect(_ response: Response) {
        let isCoded = response.isDecoded || response.section.contains(.contentEncoding)
        let expected = ExpectedDigests(
            status: response.status.code, fields: response.section, isCoded: isCoded, caller: caller)
        if !expected.file.isEmpty { file = expected.file }
    }

    /// Adds a piece of the file.
    mutating func add(_ piece: Bytes, at offset: Int64) {
        guard fileHasher != nil, offset == hashed else { return }
        fileHasher?.update(piece)
        hashed += Int64(piece.readableBytes)
    }

    /// Returns the error if the file does not have the expected digest. Bytes that were not hashed on arrival are read from the
    /// file.
    func fileVerdict(_ partial: PartialFile) async throws -> SternaError? {
        guard let algorithm = file.first?.algorithm else {
            guard let caller else { return nil }
            return try await Self.verdict(partial, DigestHasher(caller.algorithm), from: 0, [caller])
        }
        let (hasher, start) =
            fileHasher.flatMap { hasher in hasher.algorithm == algorithm ? (hasher, hashed) : nil }
            ?? (DigestHasher(algorithm), 0)
        return try await Self.verdict(partial, hasher, from: start, file)
    }

    private static func verdict(
        _ partial: PartialFile, _ hasher: DigestHasher, from start: Int64, _ expected: [ExpectedDigest]
    ) async throws -> SternaError? {
        try await BlockingWork.run {
            var (hasher, offset) = (hasher, start)
            while true {
                let piece = try partial.read(at: offset, count: 256 << 10)
                guard piece.readableBytes > 0 else { break }
                hasher.update(piece)
                offset += Int64(piece.readableBytes)
            }
            return hasher.verdict(expected, of: "the file")
        }
    }
}
