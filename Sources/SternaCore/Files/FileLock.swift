import SternaPlatform
import Synchronization

/// A lock between threads and processes on what a file holds, until it is released or its last reference goes.
///
///     try FileLock.withLock(path: path) {
///         // read, merge, write
///     }
///
/// The lock is on an empty file beside it, `path` with “.lock” at its end, which stays: the file itself is replaced when it is
/// written. All functions wait; call them in ``BlockingWork``. A lock is not recursive: a thread that takes it twice waits for itself.
package final class FileLock: Sendable {
    private let descriptor: Mutex<CInt?>

    private init(_ descriptor: CInt) { self.descriptor = Mutex(descriptor) }

    deinit { release() }

    /// The suffix of the files that are locked.
    package static let suffix = ".lock"

    /// How long callers wait for others by default.
    package static let patience = Duration.seconds(10)

    /// Runs a closure while the lock is held. Throws what ``acquire(path:exclusive:timeout:)`` and the closure do.
    package static func withLock<R>(
        path: String, exclusive: Bool = true, timeout: Duration = patience, _ body: () throws -> R
    ) throws -> R {
        let lock = try acquire(path: path, exclusive: exclusive, timeout: timeout)
        defer { lock.release() }
        return try body()
    }

    /// Takes the lock. Throws `writeFailed` for an exclusive lock, else `fileUnreadable`: if others hold it for too long, or its file
    /// cannot be made.
    ///
    /// - Parameters:
    ///   - path: the path of the file that the lock is for.
    ///   - exclusive: whether the lock excludes all others, for writers; shared ones are for readers, and do with a file that can be
    ///     read.
    ///   - timeout: how long to wait for others.
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
                // The file may have been removed, and made anew by others, while this one waited.
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

    /// Releases the lock, unless that was done before.
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

    /// Whether a path leads to an open file.
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
