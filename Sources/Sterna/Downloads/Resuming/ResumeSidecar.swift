import SternaCore
import SternaPlatform

/// The file next to a partial file that has its ``ResumeData``, for a process that was killed.
///
/// It must never claim bytes that a crash can take back: sync the partial file, then write the sidecar. All functions wait for the
/// disk; call them in ``FileWork``. Two downloads must not write the same sidecar at once.
enum ResumeSidecar {
    /// Writes the sidecar of a partial file, which is complete or as it was before, also after a power failure.
    ///
    /// Only its owner may read it, since the URL may hold secrets. Throws `writeFailed`.
    static func write(_ data: ResumeData, _ names: PartialNames) throws(SternaError) {
        let path = names.newSidecarPath
        // What a killed process left behind, and never what a link in its place points to.
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "made", errno) }
        var reason = writeAll(data.data, descriptor)
        if reason == 0, fsync(descriptor) != 0 { reason = errno }
        close(descriptor)
        if reason == 0, rename(path, names.sidecarPath) != 0 { reason = errno }
        guard reason == 0 else {
            unlink(path)
            throw failure(path, "written", reason)
        }
        try syncFolder(of: names)
    }

    /// Reads the sidecar of a partial file; nil if there is none.
    ///
    /// The paths of the data are those of `names`, whatever the file says: it may have been moved, or made by someone else. Throws
    /// `fileUnreadable` for a link, for what is not a file of this user, and for a file of another download; `decodingFailed` for
    /// anything that is not resume data.
    ///
    /// - Parameter destination: the path of the destination; nil if it is decided after the transfer.
    static func read(_ names: PartialNames, destination: String?) throws(SternaError) -> ResumeData? {
        let path = names.sidecarPath
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable(path, String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular else {
            throw unreadable(path, "it is not a regular file")
        }
        guard status.owner == geteuid() else { throw unreadable(path, "it belongs to another user") }
        let bytes = try readAll(descriptor, path)
        let data = try ResumeData(data: bytes)
        guard lastComponent(data.partialPath) == lastComponent(names.partial),
            data.destinationPath.map(lastComponent) == destination.map(lastComponent)
        else { throw unreadable(path, "it belongs to another file") }
        return data.moved(partialPath: names.partialPath, destinationPath: destination)
    }

    /// Removes the sidecar if there is one, and what a killed process left of one.
    static func remove(_ names: PartialNames) {
        unlink(names.newSidecarPath)
        unlink(names.sidecarPath)
    }

    /// Makes the names in a folder permanent; throws `writeFailed`. File systems that cannot sync a folder are passed over.
    static func syncFolder(of names: PartialNames) throws(SternaError) {
        let path = names.folder.isEmpty ? "." : names.folder
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder may be writable and not readable; its names then become permanent later.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS else {
            throw failure(path, "synced", errno)
        }
    }

    /// Returns 0 or the error number.
    private static func writeAll(_ data: Data, _ descriptor: CInt) -> CInt {
        data.withUnsafeBytes { raw in
            var done = 0
            while done < raw.count {
                let count = pwrite(
                    descriptor, raw.baseAddress?.advanced(by: done), raw.count - done, off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                done += count
            }
            return 0
        }
    }

    private static func readAll(_ descriptor: CInt, _ path: String) throws(SternaError) -> Data {
        // One byte more than the limit shows that there are more.
        var bytes = Data(count: ResumeData.Limits.bytes + 1)
        var done = 0
        var reason: CInt = 0
        bytes.withUnsafeMutableBytes { raw in
            while done < raw.count {
                let count = pread(
                    descriptor, raw.baseAddress?.advanced(by: done), raw.count - done, off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    reason = count < 0 ? errno : 0
                    return
                }
                done += count
            }
        }
        guard reason == 0 else { throw unreadable(path, String(cString: strerror(reason))) }
        return bytes.prefix(done)
    }

    // Bytes are compared, as the file system does.
    /// Returns the bytes of the last component in reverse.
    private static func lastComponent(_ path: String) -> [UInt8] {
        Array(path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") })
    }

    private static func failure(_ path: String, _ what: String, _ code: CInt) -> SternaError {
        SternaError(
            .writeFailed, phase: .read,
            "The file “\(FieldSyntax.printable(path))”, which a download is continued by, cannot be \(what): "
                + "\(String(cString: strerror(code))).")
    }

    private static func unreadable(_ path: String, _ reason: String) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .prepare,
            "The file “\(FieldSyntax.printable(path))”, which a download is continued by, cannot be read: \(reason).")
    }
}
