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
}
