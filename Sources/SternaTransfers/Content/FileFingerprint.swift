import NIOCore
import Sterna
import SternaCore
import SternaPlatform

/// Identifies the recorded state of a file: size, modification time, inode, and checksums of its first and last block.
struct FileFingerprint: Sendable, Hashable, Codable {
    /// The size in bytes.
    let size: Int64

    /// The modification time in nanoseconds since 1970.
    let modified: Int64

    /// The inode.
    let number: UInt64

    /// The XXH64 of the first and of the last block.
    let first: UInt64
    let last: UInt64

    /// The size of a block in bytes.
    static let block: Int64 = 64 << 10

    /// Takes the fingerprint of a file. Blocks on the disk. Throws `fileUnreadable`.
    init(of path: String) throws(SternaError) {
        let file = try FileRange(wholeFile: path)
        guard let status = FileStatus(path: path) else {
            throw BodyFault.unreachable(path: path, code: errno).error(path, phase: .prepare)
        }
        (size, modified, number) = (status.size, status.modified, status.identity.number)
        let length = min(Self.block, file.length)
        first = try Self.sum(FileRange(path: path, offset: 0, length: length))
        last = try Self.sum(FileRange(path: path, offset: file.length - length, length: length))
    }

    private static func sum(_ range: FileRange) throws(SternaError) -> UInt64 {
        let content: Bytes?
        do {
            content = try range.content(upTo: Int(block))
        } catch {
            throw .wrap(error, as: .fileUnreadable, phase: .prepare, "The file cannot be read: \(error)")
        }
        return (content ?? Bytes()).withUnsafeReadableBytes { XXHash64.hash($0, seed: 0) }
    }

    /// Returns which property of the file changed, in words; nil if it is unchanged.
    func change(to present: FileFingerprint) -> String? {
        if present.size != size { return "it had \(size) bytes and has \(present.size)" }
        if present.first != first || present.last != last { return "it has other content" }
        if present.number != number { return "it was replaced by another file" }
        if present.modified != modified { return "it was written to" }
        return nil
    }
}
