import SternaPlatform

/// Writes to open files. Waits for the disk.
package enum FileWriting {
    /// Writes all bytes at an offset. Returns 0, or the error number of the reason: `ENOSPC` also for a file that takes no more.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt, at offset: Int64) -> CInt {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : ENOSPC }
            done += count
        }
        return 0
    }

    /// Waits until the disk has all bytes of a file, or all names of a folder. Returns 0, or the error number of the reason; 0 also where
    /// the file system has nothing to wait for.
    @discardableResult
    package static func sync(_ descriptor: CInt) -> CInt { sync(descriptor) { fsync($0) } }

    /// - Parameter call: the system call.
    static func sync(_ descriptor: CInt, by call: (CInt) -> CInt) -> CInt {
        while call(descriptor) != 0 {
            let code = errno
            if code == EINTR { continue }
            return code == EINVAL || code == ENOTSUP ? 0 : code
        }
        return 0
    }
}
