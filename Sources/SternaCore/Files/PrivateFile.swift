import SternaPlatform

/// A file of the library that is replaced atomically: it has the new or the old content, even after a power failure.
///
/// Only its owner can read it (mode 0600). Symbolic links, folders, pipes and devices at its path are refused. All functions block
/// the thread on the disk; call them in ``BlockingWork``. Writers that read, change and write the file overwrite each other's
/// changes unless they hold a ``FileLock``.
package struct PrivateFile: Sendable, Hashable {
    package let path: String

    /// What the file is, as the beginning of error messages.
    package let title: String

    /// Makes a reference to a file, which need not exist; its folder must.
    package init(path: String, title: String = "The file") {
        self.path = path
        self.title = title
    }

    /// The content and the owner of a file.
    package struct Content: Sendable {
        package let bytes: [UInt8]

        /// Whether users other than the owner can read or change the file.
        package let isOpenToOthers: Bool

        /// Whether the file belongs to this user.
        package let isOwn: Bool

        /// Whether the file belongs neither to this user nor to root.
        package let isForeign: Bool
    }

    /// Reads the file; nil if it does not exist. Throws `fileUnreadable` if it is longer than the limit or not a regular file.
    package func read(upTo limit: Int) throws(SternaError) -> [UInt8]? {
        do throws(FileFault) {
            return try load(upTo: limit)?.bytes
        } catch {
            throw unreadable(error)
        }
    }

    /// Reads and parses the file; nil if it does not exist. Throws `fileUnreadable`, also for a file of another user than root.
    package func read<Value>(
        upTo limit: Int, by parse: (Content) throws(FileFault) -> Value
    ) throws(SternaError) -> Value? {
        do throws(FileFault) {
            guard let content = try load(upTo: limit) else { return nil }
            guard !content.isForeign else { throw FileFault("it belongs to another user") }
            return try parse(content)
        } catch {
            throw unreadable(error)
        }
    }

    /// Creates or replaces the file. Throws `writeFailed`, and leaves the file unchanged then.
    ///
    /// Removes leftovers of killed processes.
    ///
    /// - Parameter timeout: how long to wait for another writer.
    package func write(_ bytes: [UInt8], timeout: Duration = FileLock.patience) throws(SternaError) {
        do throws(FileFault) {
            try replace(bytes, timeout: timeout)
        } catch {
            throw unwritable(error)
        }
    }

    /// Removes the file if it exists, and leftovers of killed processes. Throws `writeFailed`.
    package func remove() throws(SternaError) {
        do throws(FileFault) {
            try checkPath()
            if let status = FileStatus(linkAt: path) {
                guard status.isRegular else { throw FileFault(irregular: status) }
                guard unlink(path) == 0 || errno == ENOENT else { throw FileFault(code: errno, path: path) }
            }
            try removeLeftover()
        } catch {
            throw error.error(.writeFailed, title: title, path: path, what: "removed")
        }
    }

    /// The suffix of a file's name until it is complete.
    package static let newSuffix = "-new"

    /// Returns whether a name is that of an incomplete file, which is being written or was left by a killed process.
    package static func isUnfinished(_ name: String) -> Bool {
        name.utf8.reversed().starts(with: Self.newSuffix.utf8.reversed())
    }

    /// Removes the leftover of a killed process, unless another process is writing it.
    package func removeLeftover() throws(FileFault) {
        let path = path + Self.newSuffix
        guard let status = FileStatus(linkAt: path), status.isRegular else { return }
        try AtomicFileWriter.removeLeftover(path, until: .now)
    }

    package func unreadable(_ fault: FileFault) -> SternaError {
        fault.error(.fileUnreadable, title: title, path: path, what: "read")
    }

    package func unwritable(_ fault: FileFault) -> SternaError {
        fault.error(.writeFailed, title: title, path: path, what: "written")
    }

    // MARK: Access

    /// Reads the file; nil if it does not exist.
    ///
    /// - Parameter followsLinks: whether the path may be a symbolic link.
    package func load(upTo limit: Int, followsLinks: Bool = false) throws(FileFault) -> Content? {
        try checkPath()
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            throw FileFault(code: code, path: path)
        }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else { throw FileFault(code: errno, path: path) }
        guard status.isRegular else { throw FileFault(irregular: status) }
        let bytes = try Self.bytes(descriptor, upTo: max(0, limit), expected: status.size, path)
        return Content(
            bytes: bytes, isOpenToOthers: status.permissions & 0o066 != 0, isOwn: status.owner == geteuid(),
            isForeign: status.owner != geteuid() && status.owner != 0)
    }

    private static func bytes(
        _ descriptor: CInt, upTo limit: Int, expected: Int64, _ path: String
    ) throws(FileFault) -> [UInt8] {
        let tooLong = FileFault("it is longer than \(limit) bytes")
        guard expected <= limit else { throw tooLong }
        // The extra byte detects a longer file, since some file systems report no size.
        var bytes = [UInt8](repeating: 0, count: Int(expected) + 1)
        var done = 0
        while true {
            let (count, code) = bytes.withUnsafeMutableBytes { space in
                let rest = UnsafeMutableRawBufferPointer(rebasing: space[done...])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(done))
                return (count, errno)
            }
            if count < 0, code == EINTR { continue }
            guard count >= 0 else { throw FileFault(code: code, path: path) }
            done += count
            guard done <= limit else { throw tooLong }
            if count == 0 { return Array(bytes.prefix(done)) }
            if done == bytes.count { bytes += [UInt8](repeating: 0, count: min(done, limit - done) + 1) }
        }
    }

    /// Creates or replaces the file.
    package func replace(_ bytes: [UInt8], timeout: Duration = FileLock.patience) throws(FileFault) {
        try checkPath()
        if let status = FileStatus(linkAt: path), !status.isRegular { throw FileFault(irregular: status) }
        let writer = try AtomicFileWriter(beside: path, timeout: timeout)
        try writer.write(bytes)
        try writer.commit()
    }

    private func checkPath() throws(FileFault) {
        guard !path.isEmpty else { throw FileFault("its path is empty") }
        guard !path.utf8.contains(0) else { throw FileFault("its path has a control character") }
    }
}
