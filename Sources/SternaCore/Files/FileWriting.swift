import SternaPlatform

/// Writes to open files; blocks the thread on the disk.
package enum FileWriting {
    /// Writes all bytes at an offset. Returns 0 or the error number; `ENOSPC` also if nothing more can be written.
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

    /// Flushes the bytes of a file, or the names of a folder, to the disk. Returns 0 or the error number; 0 also if the file system
    /// does not support it.
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
