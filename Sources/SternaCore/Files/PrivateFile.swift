import SternaPlatform

/// A file of the library's own that is replaced as a whole: it is complete or as it was before, also after a power failure.
///
/// Only its owner can read it (mode 0600). Symbolic links, folders, pipes and devices in its place are refused. All functions wait
/// for the disk; call them in ``BlockingWork``. Changes that are made from what was read are lost to those of others, unless both hold a
/// ``FileLock``.
package struct PrivateFile: Sendable, Hashable {
    package let path: String

    /// What the file is, as the beginning of the sentences of errors.
    package let title: String

    /// Names a file, which need not exist; its folder has to.
    package init(path: String, title: String = "The file") {
        self.path = path
        self.title = title
    }

    /// What a file holds, and whom it belongs to.
    package struct Content: Sendable {
        package let bytes: [UInt8]

        /// Whether users other than the owner can read or change the file.
        package let isOpenToOthers: Bool

        /// Whether the file belongs to this user.
        package let isOwn: Bool

        /// Whether the file belongs neither to this user nor to root.
        package let isForeign: Bool
    }

    /// Reads the file; nil if there is none. Throws `fileUnreadable` for a longer one, and for what is not a regular file.
    package func read(upTo limit: Int) throws(SternaError) -> [UInt8]? {
        do throws(FileFault) {
            return try load(upTo: limit)?.bytes
        } catch {
            throw unreadable(error)
        }
    }

    /// Reads the file by a parser; nil if there is none. Throws `fileUnreadable`, also for a file of another user.
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

    /// Replaces the file, or makes it. Throws `writeFailed`, with the file as it was.
    ///
    /// Removes what killed processes left beside it.
    ///
    /// - Parameter timeout: how long to wait for another writer.
    package func write(_ bytes: [UInt8], timeout: Duration = FileLock.patience) throws(SternaError) {
        do throws(FileFault) {
            try replace(bytes, timeout: timeout)
        } catch {
            throw unwritable(error)
        }
    }

    /// Removes the file, if there is one, and what killed processes left beside it. Throws `writeFailed`.
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

    /// The end of the name that a file has until it is complete.
    package static let newSuffix = "-new"

    /// Whether a name is that of a file being written, or of one that a killed process left behind.
    package static func isUnfinished(_ name: String) -> Bool {
        name.utf8.reversed().starts(with: Self.newSuffix.utf8.reversed())
    }

    /// Removes what a killed process left beside the file, unless another one is writing it.
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

    /// Reads the file; nil if there is none.
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
        // One byte more than expected shows that there are more: some file systems do not know the size.
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

    /// Replaces the file, or makes it.
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
