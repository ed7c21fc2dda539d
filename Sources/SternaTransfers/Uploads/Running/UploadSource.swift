import Crypto
import NIOCore
import SternaCore

/// The content of an upload: a file, or a part of one.
struct UploadSource: Sendable, Hashable {
    var path: String

    /// The position in the file of the upload's first byte.
    var start: Int64 = 0
}

extension UploadSource {
    /// Returns a range of the content as a body.
    func body(_ content: Range<Int64>) -> Body {
        guard !content.isEmpty else { return .bytes([UInt8]()) }
        return Body(segments: [.file(range(content))])
    }

    private func range(_ content: Range<Int64>) -> FileRange {
        let (offset, overflow) = start.addingReportingOverflow(content.lowerBound)
        return FileRange(
            path: path, offset: overflow ? .max : offset, length: content.upperBound - content.lowerBound)
    }

    /// Reads a range of the content and returns its digest.
    ///
    /// Throws `fileUnreadable`, also for a file that has become too short.
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
        var position = content.lowerBound
        while position < content.upperBound {
            try Task.checkCancellation()
            let end = min(position + Self.piece, content.upperBound)
            let part = range(position..<end)
            if let bytes = try await FileWork.run({ try part.content(upTo: Int(Self.piece)) }) {
                bytes.withUnsafeReadableBytes { function.update(bufferPointer: $0) }
            }
            position = end
        }
        return Array(function.finalize())
    }

    /// The number of bytes that are read at a time.
    private static let piece: Int64 = 1 << 20
}
