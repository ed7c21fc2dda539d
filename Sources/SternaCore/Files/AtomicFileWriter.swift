import SternaPlatform

/// A new file in the folder of an existing one, which it replaces when it is complete.
///
/// Its name is the existing file's with ``suffix`` appended. Its writer holds a lock on it: a killed process leaves an unlocked
/// file under that name, which the next writer removes.
struct AtomicFileWriter: ~Copyable {
    static let suffix = PrivateFile.newSuffix

    private let target: String
    private let path: String
    private let descriptor: CInt
    private var isCommitted = false

    /// Makes an empty file that only its owner can read.
    ///
    /// - Parameters:
    ///   - target: the path of the file to replace.
    ///   - timeout: how long to wait for another writer of the same file.
    init(beside target: String, timeout: Duration) throws(FileFault) {
        let path = target + Self.suffix
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                // The process's umask may have removed the owner's permissions.
                if let status = FileStatus(descriptor: descriptor), status.permissions & 0o600 != 0o600 {
                    fchmod(descriptor, 0o600)
                }
                let code = DescriptorLock.take(descriptor, isExclusive: true)
                // Another writer may have removed it as a leftover before it was locked.
                if code == 0, FileLock.isNamed(descriptor, path) {
                    self.init(target: target, path: path, descriptor: descriptor)
                    return
                }
                close(descriptor)
                guard code == 0 || code == EAGAIN else {
                    unlink(path)
                    guard DescriptorLock.isUnsupported(code) else { throw FileFault(code: code, path: path) }
                    // Without locks, each writer uses a unique name.
                    self = try Self(unlockedBeside: target)
                    return
                }
            } else {
                let code = errno
                guard code == EEXIST else { throw FileFault(code: code, path: path) }
                try Self.removeLeftover(path, until: deadline)
            }
            guard ContinuousClock.now < deadline else { throw Self.isBusy }
        }
    }

    private init(target: String, path: String, descriptor: CInt) {
        self.target = target
        self.path = path
        self.descriptor = descriptor
    }

    private init(unlockedBeside target: String) throws(FileFault) {
        let path = "\(target).\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.suffix)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFault(code: errno, path: path) }
        self.init(target: target, path: path, descriptor: descriptor)
    }

    deinit {
        if !isCommitted { unlink(path) }
        close(descriptor)
    }

    private static var isBusy: FileFault {
        FileFault("another process is writing it; end that process, or try again later")
    }

    /// Removes a leftover of a killed process; waits while another writer holds its lock.
    static func removeLeftover(_ path: String, until deadline: ContinuousClock.Instant) throws(FileFault) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            guard code != ENOENT else { return }
            // A link, or another user's file; the target of a link is not touched.
            guard unlink(path) == 0 || errno == ENOENT else {
                throw FileFault("“\(FieldSyntax.printable(path, limit: 1_024))” is in the way; remove it")
            }
            return
        }
        defer { close(descriptor) }
        let code = DescriptorLock.take(descriptor, isExclusive: true, until: deadline)
        guard code != EAGAIN else { throw isBusy }
        // If the other writer has completed it, the file has been renamed.
        guard FileLock.isNamed(descriptor, path) else { return }
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFault(code: errno, path: path) }
    }

    /// Writes the content and flushes it to the disk.
    func write(_ bytes: [UInt8]) throws(FileFault) {
        let reason = bytes.withUnsafeBytes { FileWriting.write($0, to: descriptor, at: 0) }
        guard reason == 0 else { throw FileFault(code: reason, path: path) }
        let code = FileWriting.sync(descriptor)
        guard code == 0 else { throw FileFault(code: code, path: path) }
    }

    /// Renames the file to the one that it replaces, and flushes the folder to the disk.
    consuming func commit() throws(FileFault) {
        guard rename(path, target) == 0 else { throw FileFault(code: errno, path: target) }
        isCommitted = true
        let folder = open(FileFault.folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that is not readable cannot be flushed; the rename is then written to the disk later.
        guard folder >= 0 else { return }
        defer { close(folder) }
        let code = FileWriting.sync(folder)
        guard code == 0 || code == EROFS else { throw FileFault(code: code, path: target) }
    }
}
