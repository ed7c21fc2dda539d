import NIOCore
import Sterna
import SternaCore
import SternaPlatform

/// Copies upload content into the store: bytes, and streams that can be read only once.
struct ContentSpool {
    /// Returns the number of bytes that the store still takes. It is slow for a large store.
    private let countRoom: @Sendable () -> Int64
    private var room: Int64 = 0
    /// The written length at which the room was last counted.
    private var counted: Int64 = 0

    /// The bytes after which the room is counted again, since other writers use it, too.
    private static let recount: Int64 = 4 << 20

    private let path: String
    private var descriptor: CInt = -1
    private(set) var written: Int64 = 0

    /// - Parameter room: called before the first copy and again every 4 MiB, on a thread for file operations.
    init(_ path: String, room: @escaping @Sendable () -> Int64) { (self.path, countRoom) = (path, room) }

    /// Takes the content of a body: files by path and fingerprint, everything else by a copy. Throws errors of a stream,
    /// `fileUnreadable`, `writeFailed`, and `limitExceeded` for more than the store takes.
    mutating func take(_ body: Body, mediaType: String?) async throws -> TransferContent {
        defer { close() }
        var content = TransferContent(mediaType: mediaType ?? body.mediaType, segments: [])
        for segment in body.segments {
            switch segment {
            case .file(let range) where range.storage == nil && range.length > 0:
                let path = Self.absolute(range.path)
                let fingerprint = try await BlockingWork.run { try FileFingerprint(of: path) }
                guard range.end <= fingerprint.size else {
                    throw SternaError(
                        .fileUnreadable, phase: .prepare,
                        "The file \(FieldSyntax.printable(path, limit: 4_096)) is shorter than the range to upload.")
                }
                content.segments.append(
                    .init(file: path, offset: range.offset, length: range.length, fingerprint: fingerprint))
            default:
                let before = written
                try await copy(segment)
                guard written > before else { continue }
                if let last = content.segments.indices.last, let stored = content.segments[last].stored {
                    content.segments[last].stored = stored + (written - before)
                } else {
                    content.segments.append(.init(stored: written - before))
                }
            }
            guard content.segments.count <= TransferContent.mostSegments else {
                throw SternaError(
                    .limitExceeded, phase: .prepare,
                    "The upload has more than \(TransferContent.mostSegments) parts. Send fewer files at once.")
            }
        }
        if descriptor >= 0 { try await sync() }
        return content
    }

    private mutating func copy(_ segment: Body.Segment) async throws {
        var reader = BodyReader(Body(segments: [segment]))
        while let bytes = try await reader.next() {
            if descriptor < 0 { try await make() }
            if written - counted >= Self.recount {
                // The free room does not include what was written.
                let rest = try await BlockingWork.run { [countRoom] in countRoom() }
                (room, counted) = (written.addingReportingOverflow(rest).partialValue, written)
            }
            guard Int64(bytes.readableBytes) <= room - written else {
                throw SternaError(
                    .limitExceeded, phase: .prepare,
                    "The store keeps at most \(room) further bytes of uploads, and the content is longer. Upload files, or raise maxStoredBytes."
                )
            }
            let (target, offset) = (descriptor, written)
            let code = try await BlockingWork.run {
                bytes.withUnsafeReadableBytes { FileWriting.write($0, to: target, at: offset) }
            }
            guard code == 0 else { throw failure(code) }
            written += Int64(bytes.readableBytes)
        }
    }

    private mutating func make() async throws {
        let (made, code, room) = try await BlockingWork.run { [path, countRoom] in
            let room = countRoom()
            let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return (made, made < 0 ? errno : 0, room)
        }
        guard made >= 0 else { throw failure(code) }
        (descriptor, self.room) = (made, room)
    }

    private func sync() async throws {
        let target = descriptor
        let code = try await BlockingWork.run { FileWriting.sync(target) }
        guard code == 0 else { throw failure(code) }
    }

    private mutating func close() {
        if descriptor >= 0 { SternaPlatform.close(descriptor) }
        descriptor = -1
    }

    private func failure(_ code: CInt) -> SternaError {
        FileFault(code: code, path: path).error(
            .writeFailed, title: "The store of transfers", path: path, what: "written")
    }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
