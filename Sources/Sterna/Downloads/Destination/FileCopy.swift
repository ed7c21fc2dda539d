import SternaCore
import SternaPlatform

/// Copies files to another file system, under a unique hidden name.
enum FileCopy {
    /// Copies a file into the folder of its destination, syncs it, and gives it the permissions of a new file. Deletes the copy on
    /// failure.
    ///
    /// - Parameter path: the destination, next to which the copy is made.
    /// - Returns: the copy's path.
    static func make(of source: String, beside path: String) throws(DestinationFault) -> String {
        let input = open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard input >= 0 else {
            let code = errno
            throw code == ENOENT ? .vanished(temporaryFile: source) : .failed(path: source, code: code)
        }
        defer { close(input) }
        let copy = temporaryName(beside: path)
        let output = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard output >= 0 else {
            let code = errno
            throw DestinationFault(code: code, path: path)
        }
        var code = transfer(from: input, to: output)
        if code == 0 { code = FileWriting.sync(output) }
        if close(output) != 0, code == 0, errno != EINTR { code = errno }
        guard code == 0 else {
            unlink(copy)
            throw DestinationFault(code: code, path: path)
        }
        return copy
    }

    /// Returns the permissions of new files under the process's umask, which cannot be read without changing it; nil on failure.
    static func permissionsOfNewFiles(beside path: String) -> mode_t? {
        let probe = temporaryName(beside: path)
        let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            unlink(probe)
        }
        return FileStatus(descriptor: descriptor).map { mode_t($0.permissions) & 0o777 }
    }

    /// Sets a file's permissions; does nothing to symbolic links.
    static func setPermissions(_ mode: mode_t, of path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        fchmod(descriptor, mode)
        close(descriptor)
    }

    private static func temporaryName(beside path: String) -> String {
        let stem = DownloadFileName.prefix(of: FilePaths.name(of: path)[...], bytes: 128)
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        return FilePaths.path(".\(stem).\(number).part", in: FilePaths.folder(of: path))
    }

    private static func transfer(from input: CInt, to output: CInt) -> CInt {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        return buffer.withUnsafeMutableBytes { space in
            while true {
                let count = read(input, space.baseAddress, space.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? 0 : errno }
                var rest = UnsafeRawBufferPointer(rebasing: space[..<count])
                while !rest.isEmpty {
                    let written = write(output, rest.baseAddress, rest.count)
                    if written < 0, errno == EINTR { continue }
                    guard written > 0 else { return written == 0 ? ENOSPC : errno }
                    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                }
            }
        }
    }
}
