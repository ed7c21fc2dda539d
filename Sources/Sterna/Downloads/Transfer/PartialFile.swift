import NIOCore
import SternaCore
import SternaPlatform

/// The file that receives a download's bytes until it is complete. All functions wait for the disk; call them in ``BlockingWork``.
///
/// It is locked while it is open, so that two downloads to one destination do not write the same file.
final class PartialFile: Sendable {
    let path: String
    let descriptor: CInt

    /// Opens or creates a partial file. Throws `destinationUnusable` or `writeFailed`.
    ///
    /// Symbolic links are not followed.
    ///
    /// - Returns: nil if another download has it open, if it belongs to another user, or if it has another hard link, through which
    ///   it could be changed.
    static func open(_ path: String, permissions: mode_t) throws(SternaError) -> PartialFile? {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = SternaPlatform.open(path, flags, permissions)
        guard descriptor >= 0 else { throw DestinationFault(code: errno, path: path).error(phase: .prepare) }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular else {
            close(descriptor)
            throw DestinationFault.notAFile(path: path).error(phase: .prepare)
        }
        guard status.owner == geteuid(), status.linkCount == 1, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return PartialFile(path, descriptor)
    }

    private init(_ path: String, _ descriptor: CInt) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The current length in bytes.
    var length: Int64 { FileStatus(descriptor: descriptor)?.size ?? 0 }

    /// Shortens the file to a length; throws `writeFailed`.
    func truncate(to length: Int64) throws(SternaError) {
        while ftruncate(descriptor, off_t(length)) != 0 {
            guard errno == EINTR else { throw failure(errno) }
        }
    }

    /// Writes all bytes at an offset; throws `writeFailed`, for example if the disk is full.
    func write(_ bytes: Bytes, at offset: Int64) throws(SternaError) {
        let reason = bytes.withUnsafeReadableBytes { FileWriting.write($0, to: descriptor, at: offset) }
        guard reason == 0 else { throw failure(reason) }
    }

    /// Reads at most the given number of bytes at an offset; empty at the end of the file. Throws `fileUnreadable`.
    func read(at offset: Int64, count: Int) throws(SternaError) -> Bytes {
        var piece = Bytes()
        var reason: CInt = 0
        // At most as many bytes are read as there is room for.
        piece.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            let read = pread(descriptor, space.baseAddress, min(count, space.count), off_t(offset))
            if read < 0 { reason = errno }
            return max(0, read)
        }
        guard reason == 0 else {
            throw SternaError(
                .fileUnreadable, phase: .read,
                "The partial file “\(FieldSyntax.printable(path))” cannot be read: \(String(cString: strerror(reason)))."
            )
        }
        return piece
    }

    /// Waits until all bytes are on disk; throws `writeFailed`.
    func sync() throws(SternaError) {
        let reason = FileWriting.sync(descriptor)
        guard reason == 0 else { throw failure(reason) }
    }

    /// Lets another download open the file, although this one still has it open.
    func unlock() { flock(descriptor, LOCK_UN) }

    /// Whether the path still names this file: another program may have removed or replaced it.
    var hasName: Bool {
        guard let named = FileStatus(linkAt: path), let opened = FileStatus(descriptor: descriptor) else {
            return false
        }
        return named.identity == opened.identity
    }

    /// Deletes the file, unless the path now names another one.
    func remove() {
        if hasName { unlink(path) }
    }

    private func failure(_ code: CInt) -> SternaError { DestinationFault(code: code, path: path).error(phase: .read) }
}
