import Crypto
import NIOCore
import SternaCore

/// The content of an upload: ranges of files, one after another, or their part from a position on.
struct UploadSource: Sendable, Hashable {
    /// The ranges of files that make up the content.
    var pieces: [FileRange]

    /// The position of the upload's first byte in the pieces.
    var start: Int64

    init(_ pieces: [FileRange], start: Int64 = 0) { (self.pieces, self.start) = (pieces, max(0, start)) }

    /// Creates the content of a file, or of its part from a position on.
    init(path: String, start: Int64 = 0) { self.init([FileRange(path: path, offset: 0, length: .max)], start: start) }

    /// Returns the content from a position on.
    func from(_ position: Int64) -> UploadSource {
        let (sum, overflow) = start.addingReportingOverflow(max(0, position))
        return UploadSource(pieces, start: overflow ? .max : sum)
    }
}

extension UploadSource {
    /// Returns a range of the content as a body.
    func body(_ content: Range<Int64>) -> Body { Body(segments: ranges(content).map { .file($0) }) }

    /// Returns the ranges of files for a range of the content.
    func ranges(_ content: Range<Int64>) -> [FileRange] {
        let (lower, isFar) = start.addingReportingOverflow(content.lowerBound)
        let (upper, isOver) = start.addingReportingOverflow(content.upperBound)
        guard !isFar, lower >= 0 else { return [] }
        var found: [FileRange] = []
        var position: Int64 = 0
        for piece in pieces {
            // Lengths of pieces are below 2^55.
            let (end, overflow) = position.addingReportingOverflow(piece.length)
            let from = max(lower, position)
            let to = min(isOver ? .max : upper, overflow ? .max : end)
            if from < to {
                found.append(
                    FileRange(path: piece.path, offset: piece.offset + (from - position), length: to - from))
            }
            guard !overflow else { break }
            position = end
        }
        return found
    }

    /// Reads a range of the content and returns its digest.
    ///
    /// Throws `fileUnreadable`, also for a file that was shortened.
    func digest(_ content: Range<Int64>, by algorithm: UploadDigest.Algorithm) async throws -> UploadDigest {
        let bytes =
            switch algorithm {
            case .md5: try await hash(content, Insecure.MD5())
            case .sha1: try await hash(content, Insecure.SHA1())
            case .sha256: try await hash(content, SHA256())
            case .sha512: try await hash(content, SHA512())
            }
        return UploadDigest(algorithm: algorithm, bytes: bytes)
    }

    private func hash<Function: HashFunction & Sendable>(
        _ content: Range<Int64>, _ empty: Function
    ) async throws -> [UInt8] {
        var function = empty
        for range in ranges(content) {
            var position: Int64 = 0
            while position < range.length {
                try Task.checkCancellation()
                let count = min(Self.piece, range.length - position)
                let part = FileRange(path: range.path, offset: range.offset + position, length: count)
                if let bytes = try await BlockingWork.run({ try part.content(upTo: Int(Self.piece)) }) {
                    bytes.withUnsafeReadableBytes { function.update(bufferPointer: $0) }
                }
                position += count
            }
        }
        return Array(function.finalize())
    }

    /// The number of bytes to read at a time.
    private static let piece: Int64 = 1 << 20
}
