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
    public var path: String

    /// The first byte, counted from the file's start.
    public var offset: Int64

    /// How many bytes.
    public var length: Int64

    /// Makes a range without looking at the file; the transport checks it while it sends.
    public init(path: String, offset: Int64, length: Int64) {
        self.path = path
        self.offset = max(0, offset)
        self.length = max(0, length)
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
