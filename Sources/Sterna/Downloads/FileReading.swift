import NIOCore
import SternaCore
import SternaPlatform

/// Reads files whole. It waits for the disk; call it in ``FileWork``.
enum FileReading {
    /// Returns the bytes of a file; throws `fileUnreadable`, and `limitExceeded` for a file above the limit.
    static func bytes(of path: String, upTo limit: Int) throws(SternaError) -> Bytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var all = Bytes()
        while true {
            var reason: CInt = 0
            // At most as much is read as there is room for.
            let count = all.writeWithUnsafeMutableBytes(minimumWritableBytes: 256 << 10) { space in
                let count = read(descriptor, space.baseAddress, space.count)
                reason = count < 0 ? errno : 0
                return max(0, count)
            }
            guard reason == 0 || reason == EINTR else { throw unreadable(path, reason) }
            guard count > 0 || reason == EINTR else { return all }
            guard all.readableBytes <= limit else {
                throw SternaError(
                    .limitExceeded, phase: .read,
                    "The file “\(FieldSyntax.printable(path))” is longer than \(ByteSize(Int64(limit))); raise the limit to "
                        + "decode it.")
            }
        }
    }

    private static func unreadable(_ path: String, _ code: CInt) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .read,
            "The file “\(FieldSyntax.printable(path))” cannot be read: \(String(cString: strerror(code))).")
    }
}
