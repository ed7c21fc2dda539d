import NIOCore
import Sterna
import SternaCore
import SternaPlatform

/// The content of an upload: ranges of the program's files, and bytes that the store keeps.
///
///     "content": {
///       "mediaType": "multipart/form-data; boundary=…",
///       "segments": [
///         {"stored": 120},
///         {"file": "/data/a.jpg", "offset": 0, "length": 4096, "fingerprint": {…}}
///       ]
///     }
///
/// The stored bytes are in the transfer's file `content`, one segment after another.
struct TransferContent: Sendable, Hashable, Codable {
    /// A contiguous piece of the content.
    struct Segment: Sendable, Hashable, Codable {
        /// The number of bytes in the transfer's own file; nil for a range of another file.
        var stored: Int64?

        var file: String?
        var offset: Int64?
        var length: Int64?
        var fingerprint: FileFingerprint?

        /// The number of bytes.
        var count: Int64 { max(0, stored ?? length ?? 0) }
    }

    var mediaType: String?
    var segments: [Segment]

    /// The maximum number of segments.
    static let mostSegments = 4_096

    /// The number of bytes.
    var length: Int64 {
        segments.reduce(0) { sum, segment in
            let (next, overflow) = sum.addingReportingOverflow(segment.count)
            return overflow ? .max : next
        }
    }

    /// The number of bytes that the store keeps.
    var storedLength: Int64 { segments.reduce(0) { $0 &+ max(0, $1.stored ?? 0) } }

    /// The path of the file if it is the only segment; nil otherwise.
    var onlyFile: String? { segments.count == 1 ? segments[0].file : nil }

    /// Why the content is invalid; nil if it is valid.
    var fault: String? {
        guard segments.count <= Self.mostSegments else { return "its content has more than \(Self.mostSegments) parts" }
        for segment in segments {
            if let stored = segment.stored {
                guard stored >= 0, segment.file == nil else { return "its content is invalid" }
                continue
            }
            guard let file = segment.file, file.hasPrefix("/"), file.utf8.count <= 4_096, !file.utf8.contains(0),
                segment.fingerprint != nil, let offset = segment.offset, offset >= 0, let length = segment.length,
                length >= 0, length <= 1 << 55, offset <= 1 << 55
            else { return "a file of its content has no absolute path, or no range" }
        }
        return length < .max ? nil : "its content is too long"
    }

    /// Returns the content as ranges of files.
    ///
    /// - Parameter path: the transfer's file `content`.
    func source(storedAt path: String) -> UploadSource {
        var position: Int64 = 0
        return UploadSource(
            segments.map { segment in
                guard let file = segment.file else {
                    defer { position &+= segment.count }
                    return FileRange(path: path, offset: position, length: segment.count)
                }
                return FileRange(path: file, offset: segment.offset ?? 0, length: segment.count)
            })
    }

    /// Checks that no file has changed since the transfer was added. Blocks on the disk. Throws `fileUnreadable`.
    ///
    /// - Parameter path: the transfer's file `content`.
    func verify(storedAt path: String) throws(SternaError) {
        var seen: [String: FileFingerprint] = [:]
        for segment in segments {
            guard let file = segment.file, let recorded = segment.fingerprint else { continue }
            let present: FileFingerprint
            if let known = seen[file] {
                present = known
            } else {
                present = try Self.fingerprint(file)
            }
            seen[file] = present
            guard let change = recorded.change(to: present) else { continue }
            throw SternaError(
                .fileUnreadable, phase: .prepare,
                "The file \(FieldSyntax.printable(file, limit: 4_096)) has changed since its upload was added: \(change). Add the upload again.",
                underlying: ChangedSource())
        }
        guard storedLength > 0 else { return }
        guard let status = FileStatus(path: path), status.isRegular, status.size == storedLength else {
            throw SternaError(
                .fileUnreadable, phase: .prepare,
                "The content that the store kept for the upload is damaged. Add it again.",
                underlying: ChangedSource())
        }
    }

    /// Compares the content with the program's digest. Throws `digestMismatch` and `fileUnreadable`.
    ///
    /// - Parameter path: the transfer's file `content`.
    func check(_ expected: ExpectedDigest?, storedAt path: String) async throws {
        guard let expected else { return }
        let found = try await source(storedAt: path).digest(0..<length, by: .sha256).bytes
        guard found == expected.value else {
            throw SternaError(
                .digestMismatch, phase: .prepare,
                "The content has the SHA-256 \(HexText.text(of: found)), not the one that was given for the upload. Nothing was sent."
            )
        }
    }

    /// Takes the fingerprint of a file that existed when the upload was added. Throws `fileUnreadable`.
    private static func fingerprint(_ file: String) throws(SternaError) -> FileFingerprint {
        do throws(SternaError) {
            return try FileFingerprint(of: file)
        } catch {
            let name = FieldSyntax.printable(file, limit: 4_096)
            switch error.underlying as? BodyFault {
            case .directory?, .notAFile?:
                throw SternaError(
                    .fileUnreadable, phase: .prepare,
                    "The path \(name) of the upload no longer names a file. Add the upload again.",
                    underlying: ChangedSource())
            case .unreachable(_, ENOENT)?:
                throw SternaError(
                    .fileUnreadable, phase: .prepare,
                    "The file \(name) of the upload is missing. Put it back, or cancel the upload.",
                    underlying: MissingSource())
            default:
                throw SternaError(
                    .fileUnreadable, phase: .prepare,
                    "The file \(name) of the upload cannot be read now. \(error.message)", underlying: MissingSource())
            }
        }
    }
}
