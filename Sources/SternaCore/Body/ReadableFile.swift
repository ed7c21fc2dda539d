import NIOCore
import SternaPlatform

/// An open file that is read at given offsets.
final class ReadableFile: Sendable {
    private let descriptor: CInt

    init(_ range: FileRange) throws(SternaError) {
        guard !range.path.utf8.contains(0) else {
            descriptor = -1
            throw BodyFault.controlCharacter(in: "its path").error(range.path, phase: .write)
        }
        descriptor =
            range.storage.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 3) }
            ?? open(range.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let reason = errno
        guard descriptor >= 0 else {
            throw BodyFault.unreachable(path: range.path, code: reason).error(range.path, phase: .write)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(_ range: FileRange, at offset: Int64, count: Int) throws(SternaError) -> Bytes {
        guard range.fits(FileStatus(descriptor: descriptor)) else {
            throw BodyFault.changed(path: range.path).error(range.path, phase: .write)
        }
        var bytes = Bytes()
        var failure: CInt = 0
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            var done = 0
            while done < count {
                let result = pread(
                    descriptor, space.baseAddress?.advanced(by: done), count - done, off_t(offset) + off_t(done))
                guard result > 0 else {
                    if result < 0, errno == EINTR { continue }
                    failure = result < 0 ? errno : 0
                    break
                }
                done += result
            }
            return done
        }
        guard failure == 0 else {
            throw BodyFault.unreadable(path: range.path, code: failure).error(range.path, phase: .write)
        }
        guard bytes.readableBytes == count else {
            throw BodyFault.changed(path: range.path).error(range.path, phase: .write)
        }
        return bytes
    }
}

extension FileRange {
    /// Reads all bytes at once; blocks the thread on the disk. Nil if there are more than `limit`.
    ///
    /// Throws `fileUnreadable`, also if the file has changed since the range was made.
    package func content(upTo limit: Int) throws(SternaError) -> Bytes? {
        guard length <= Int64(limit) else { return nil }
        return try ReadableFile(self).read(self, at: offset, count: Int(length))
    }
}
