import SternaCore
import SternaPlatform

/// Reads and writes files that hold secrets. All functions wait for the disk.
enum PrivateFileAccess {
    /// The reason why a file cannot be used, as a part of a sentence.
    struct Fault: Error, Hashable {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        /// The reason of a system call that has failed.
        init(code: CInt) { reason = String(cString: strerror(code)) }
    }

    /// A file that was read.
    struct Content {
        let bytes: [UInt8]

        /// Whether users other than the owner can read or change the file.
        let isOpenToOthers: Bool

        /// Whether the file belongs neither to this user nor to root.
        let isForeign: Bool
    }

    /// Reads a file of at most `limit` bytes; nil if there is none.
    ///
    /// - Parameter followsLinks: whether the path may be a symbolic link.
    static func read(_ path: String, limit: Int, followsLinks: Bool) throws(Fault) -> Content? {
        guard !path.utf8.contains(0) else { throw Fault("its path has a control character") }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? Fault("it is a symbolic link") : Fault(code: errno)
        }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular else {
            throw Fault("it is not a regular file")
        }
        // One byte more than the limit shows that there are more.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var done = 0
        var reason: CInt = 0
        bytes.withUnsafeMutableBytes { space in
            while done < space.count {
                let count = pread(descriptor, space.baseAddress?.advanced(by: done), space.count - done, off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    reason = count < 0 ? errno : 0
                    return
                }
                done += count
            }
        }
        guard reason == 0 else { throw Fault(code: reason) }
        guard done <= limit else { throw Fault("it is longer than \(limit) bytes") }
        return Content(
            bytes: Array(bytes.prefix(done)), isOpenToOthers: status.permissions & 0o066 != 0,
            isForeign: status.owner != geteuid() && status.owner != 0)
    }

    /// Writes a file that only its owner can read. It is complete or as it was before, also after a power failure.
    static func write(_ bytes: [UInt8], to path: String) throws(Fault) {
        guard !path.utf8.contains(0) else { throw Fault("its path has a control character") }
        var name = SystemRandomNumberGenerator()
        let new = "\(path).\(String(UInt64.random(in: 0 ... .max, using: &name), radix: 36)).new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(code: errno) }
        var reason = writeAll(bytes, descriptor)
        // The mode that was asked for may have been narrowed by the process's mask.
        if reason == 0, fchmod(descriptor, 0o600) != 0 { reason = errno }
        if reason == 0, fsync(descriptor) != 0 { reason = errno }
        close(descriptor)
        if reason == 0, rename(new, path) != 0 { reason = errno }
        guard reason == 0 else {
            unlink(new)
            throw Fault(code: reason)
        }
        syncFolder(of: path)
    }

    /// Returns 0 or the error number.
    private static func writeAll(_ bytes: [UInt8], _ descriptor: CInt) -> CInt {
        bytes.withUnsafeBytes { raw in
            var done = 0
            while done < raw.count {
                let count = pwrite(descriptor, raw.baseAddress?.advanced(by: done), raw.count - done, off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                done += count
            }
            return 0
        }
    }

    /// Makes the name permanent, on file systems that can.
    private static func syncFolder(of path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropLast()
        let folder = String(parts.map { String(Substring($0)) }.joined(separator: "/"))
        let descriptor = open(parts.isEmpty ? "." : folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
