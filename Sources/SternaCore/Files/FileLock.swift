import SternaPlatform
import Synchronization

/// A lock of a file's content between threads and processes, until it is released explicitly or with its last reference.
///
///     try FileLock.withLock(path: path) {
///         // read, merge, write
///     }
///
/// The lock is on a separate empty file, `path` with “.lock” appended, since the file itself is replaced when it is written. The
/// lock file is never removed. All functions block; call them in ``BlockingWork``. A lock is not recursive: a thread that takes it
/// twice blocks itself.
package final class FileLock: Sendable {
    private let descriptor: Mutex<CInt?>

    private init(_ descriptor: CInt) { self.descriptor = Mutex(descriptor) }

    deinit { release() }

    /// The suffix of lock files.
    package static let suffix = ".lock"

    /// How long to wait for other holders by default.
    package static let patience = Duration.seconds(10)

    /// Runs a closure while the lock is held. Throws errors of ``acquire(path:exclusive:timeout:)`` and of the closure.
    package static func withLock<R>(
        path: String, exclusive: Bool = true, timeout: Duration = patience, _ body: () throws -> R
    ) throws -> R {
        let lock = try acquire(path: path, exclusive: exclusive, timeout: timeout)
        defer { lock.release() }
        return try body()
    }

    /// Takes the lock. Throws `writeFailed` for an exclusive lock and `fileUnreadable` for a shared one if others hold it for too
    /// long, or the lock file cannot be created.
    ///
    /// - Parameters:
    ///   - path: the path of the file to protect.
    ///   - exclusive: whether the lock excludes all others, for writers. Shared locks are for readers, and only require a readable
    ///     lock file.
    ///   - timeout: how long to wait for other holders.
    package static func acquire(
        path: String, exclusive: Bool = true, timeout: Duration = patience
    ) throws(SternaError) -> FileLock {
        guard let lock = try attempt(path: path, exclusive: exclusive, timeout: timeout) else {
            throw failure(
                path, exclusive,
                FileFault("others hold it for more than \(timeout); end the process that does, or try again later"))
        }
        return lock
    }

    /// Takes the lock; nil if others hold it. Throws as ``acquire(path:exclusive:timeout:)`` does.
    package static func attempt(
        path: String, exclusive: Bool = true, timeout: Duration = .zero
    ) throws(SternaError) -> FileLock? {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        do throws(FileFault) {
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw FileFault(path.isEmpty ? "its path is empty" : "its path has a control character")
            }
            while true {
                let descriptor = try open(path + suffix, exclusive)
                let code = DescriptorLock.take(descriptor, isExclusive: exclusive, until: deadline)
                // Others may have removed and recreated the file during the wait.
                if code == 0, isNamed(descriptor, path + suffix) { return FileLock(descriptor) }
                close(descriptor)
                if code == EAGAIN { return nil }
                guard code == 0 else {
                    throw DescriptorLock.isUnsupported(code)
                        ? FileFault("its file system has no locks; choose a folder on another disk")
                        : FileFault(code: code, path: path)
                }
                guard ContinuousClock.now <= deadline || timeout == .zero else { return nil }
            }
        } catch {
            throw failure(path, exclusive, error)
        }
    }

    /// Releases the lock, unless it was released before.
    package func release() {
        descriptor.withLock { descriptor in
            guard let held = descriptor.take() else { return }
            DescriptorLock.release(held)
            close(held)
        }
    }

    private static func open(_ path: String, _ exclusive: Bool) throws(FileFault) -> CInt {
        let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var descriptor = SternaPlatform.open(path, O_RDWR | O_CREAT | flags, 0o600)
        if descriptor < 0, !exclusive, [EACCES, EPERM, EROFS].contains(errno) {
            descriptor = SternaPlatform.open(path, O_RDONLY | flags)
        }
        guard descriptor >= 0 else { throw FileFault(code: errno, path: path) }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular else {
            close(descriptor)
            throw FileFault("it is not a regular file; remove it")
        }
        return descriptor
    }

    /// Returns whether a path leads to an open file.
    static func isNamed(_ descriptor: CInt, _ path: String) -> Bool {
        guard let named = FileStatus(linkAt: path), let opened = FileStatus(descriptor: descriptor) else {
            return false
        }
        return named.identity == opened.identity
    }

    private static func failure(_ path: String, _ exclusive: Bool, _ fault: FileFault) -> SternaError {
        fault.error(
            exclusive ? .writeFailed : .fileUnreadable, title: "The file", path: path + suffix, what: "locked")
    }
}
