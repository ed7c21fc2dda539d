import SternaPlatform

/// A range of a regular file, in the state at the range's creation.
public struct FileRange: Sendable, Hashable {
    /// The path of the file.
    public let path: String

    /// The first byte, counted from the file's start.
    public let offset: Int64

    /// The number of bytes.
    public let length: Int64

    /// The size of the whole file when the range was made; nil for a range made without checking the file.
    package private(set) var fileSize: Int64?

    /// Keeps a file without a name in existence.
    package var storage: TemporaryFile?

    /// The offset after the last byte.
    package var end: Int64 { offset + length }

    /// Makes a range without looking at the file; the transport checks it while it sends.
    public init(path: String, offset: Int64, length: Int64) {
        self.path = path
        // No file is longer than this, and sums of two such numbers are still numbers.
        self.offset = min(max(0, offset), 1 << 55)
        self.length = min(max(0, length), 1 << 55)
    }

    /// Takes the whole of a file. Throws `fileUnreadable`, with a ``BodyFault`` as its cause, if the file does not exist, is not
    /// a regular file, or may not be read.
    ///
    /// The request fails if the file has another size when it is sent.
    public init(wholeFile file: some FileReference) throws(SternaError) {
        let path = try file.filePath()
        guard !path.utf8.contains(0) else {
            throw BodyFault.controlCharacter(in: "its path").error(path, phase: .prepare)
        }
        let found = FileStatus(path: path)
        var reason = errno
        guard let status = found else {
            throw BodyFault.unreachable(path: path, code: reason).error(path, phase: .prepare)
        }
        guard status.isRegular else {
            throw (status.isDirectory ? BodyFault.directory(path: path) : .notAFile(path: path))
                .error(path, phase: .prepare)
        }
        let isReadable = access(path, R_OK) == 0
        reason = errno
        guard isReadable else {
            throw BodyFault.unreadable(path: path, code: reason).error(path, phase: .prepare)
        }
        guard status.size > 0 || !Self.hasContent(path) else {
            throw BodyFault.notAFile(path: path).error(path, phase: .prepare)
        }
        self.init(path: path, offset: 0, length: status.size)
        fileSize = status.size
    }

    /// Whether the file has content; files that the kernel generates report no size.
    private static func hasContent(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, 0) > 0
    }

    /// The whole of a file without a name.
    package init(_ file: TemporaryFile, length: Int64) {
        self.init(path: file.path, offset: 0, length: length)
        storage = file
    }

    /// Whether an open file still matches the range's file.
    package func fits(_ status: FileStatus?) -> Bool {
        guard let status, status.isRegular else { return false }
        return fileSize.map { status.size == $0 } ?? (status.size >= end)
    }
}
