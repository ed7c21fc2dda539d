#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A range of a regular file, as it was when the range was made.
public struct FileRange: Sendable, Hashable {
    /// Where the file is.
    public let path: String

    /// The first byte, counted from the file's start.
    public let offset: Int64

    /// How many bytes.
    public let length: Int64

    /// The byte behind the last one.
    package var end: Int64 { offset + length }

    /// Makes a range without looking at the file; the transport checks it while it sends.
    public init(path: String, offset: Int64, length: Int64) {
        self.path = path
        // No file is longer than this, and sums of two such numbers are still numbers.
        self.offset = min(max(0, offset), 1 << 55)
        self.length = min(max(0, length), 1 << 55)
    }

    /// Takes the whole of a file; throws `fileUnreadable` where there is none, it is no regular file, or it may not be
    /// read.
    public init(wholeFile path: String) throws(SternaError) {
        guard !path.utf8.contains(0) else { throw Self.unreadable(path, why: "there is a NUL in its path") }
        guard let status = FileStatus(path: path) else {
            throw Self.unreadable(path, why: String(cString: strerror(errno)))
        }
        guard status.isRegular else {
            throw Self.unreadable(path, why: status.isDirectory ? "it is a directory" : "it is not a regular file")
        }
        guard access(path, R_OK) == 0 else { throw Self.unreadable(path, why: String(cString: strerror(errno))) }
        self.init(path: path, offset: 0, length: status.size)
    }

    private static func unreadable(_ path: String, why: String) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .prepare, "The file “\(FieldSyntax.printable(path))” cannot be sent: \(why).")
    }
}
