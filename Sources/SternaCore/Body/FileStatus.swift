import SternaPlatform

/// What the system says of a file.
package struct FileStatus: Sendable {
    package let isRegular: Bool
    package let isDirectory: Bool
    package let isFIFO: Bool

    /// The size in bytes.
    package let size: Int64

    /// The permission bits.
    package let permissions: UInt32

    /// Looks at the file of a path, following links; nil where there is none, `errno` then says why.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Looks at an open file; nil where the descriptor is none.
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
        size = Int64(status.st_size)
        permissions = UInt32(status.st_mode) & 0o7777
    }
}
