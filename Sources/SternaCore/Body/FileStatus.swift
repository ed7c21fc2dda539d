import SternaPlatform

/// The system's status of a file.
///
/// Modules that import Foundation read it here, since there the compiler may confuse the C structure with CoreFoundation's.
package struct FileStatus: Sendable {
    package let isRegular: Bool
    package let isDirectory: Bool
    package let isFIFO: Bool
    package let isSymbolicLink: Bool

    /// The size in bytes.
    package let size: Int64

    /// The permission bits.
    package let permissions: UInt32

    /// The user ID of the owner.
    package let owner: UInt32

    /// The number of hard links.
    package let linkCount: UInt64

    /// When the content was last changed, in nanoseconds since 1970.
    package let modified: Int64

    /// The device and inode, which identify the file.
    package let identity: Identity

    package struct Identity: Sendable, Hashable {
        package let device: UInt64
        package let number: UInt64
    }

    /// Reads the status of the file at a path, following links; nil if that fails, with the reason in `errno`.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of the file or the symbolic link at a path; nil if that fails, with the reason in `errno`.
    package init?(linkAt path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of an open file; nil if the descriptor is invalid.
    package init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        let kind = status.st_mode & S_IFMT
        isRegular = kind == S_IFREG
        isDirectory = kind == S_IFDIR
        isFIFO = kind == S_IFIFO
        isSymbolicLink = kind == S_IFLNK
        size = Int64(status.st_size)
        permissions = UInt32(status.st_mode) & 0o7777
        owner = UInt32(status.st_uid)
        linkCount = UInt64(status.st_nlink)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        // Overflows beyond the year 2262, but still shows a change.
        modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
