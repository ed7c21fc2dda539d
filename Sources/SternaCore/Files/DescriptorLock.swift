import SternaPlatform

/// Locks of a whole file that belong to its open file description: unlike POSIX locks, they are not released by closing another
/// descriptor of the file, and they also exclude each other within a process. The system releases the locks of a killed process.
enum DescriptorLock {
    /// Takes the lock without waiting. Returns 0 or the system's error number, `EAGAIN` if the lock is taken.
    ///
    /// - Parameter isExclusive: whether it excludes all others; a shared one needs a readable descriptor, an exclusive one a
    ///   writable one.
    static func take(_ descriptor: CInt, isExclusive: Bool) -> CInt {
        #if os(Linux) || os(Android)
        var lock = flock()
        lock.l_type = Int16(isExclusive ? F_WRLCK : F_RDLCK)
        lock.l_whence = Int16(SEEK_SET)
        while fcntl(descriptor, setLock, &lock) != 0 {
            let code = errno
            guard code == EINTR else { return code == EACCES ? EAGAIN : code }
        }
        return 0
        #else
        // BSD locks belong to the open file description.
        while flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            let code = errno
            guard code == EINTR else { return code == EWOULDBLOCK ? EAGAIN : code }
        }
        return 0
        #endif
    }

    /// Takes the lock; waits at most until the deadline. Returns 0 or the system's error number, `EAGAIN` after the wait.
    static func take(_ descriptor: CInt, isExclusive: Bool, until deadline: ContinuousClock.Instant) -> CInt {
        // The system's own wait has no limit. The pauses grow from 0.2 ms to 20 ms.
        var pause: UInt32 = 200
        while true {
            let code = take(descriptor, isExclusive: isExclusive)
            guard code == EAGAIN, ContinuousClock.now < deadline else { return code }
            usleep(pause)
            pause = min(2 * pause, 20_000)
        }
    }

    /// Releases the lock. Closing only the descriptor would leave the lock to a forked child process that has not called exec yet.
    static func release(_ descriptor: CInt) {
        #if os(Linux) || os(Android)
        var lock = flock()
        lock.l_type = Int16(F_UNLCK)
        lock.l_whence = Int16(SEEK_SET)
        _ = fcntl(descriptor, setLock, &lock)
        #else
        _ = flock(descriptor, LOCK_UN)
        #endif
    }

    /// Returns whether an error number means that the file system does not support locks.
    static func isUnsupported(_ code: CInt) -> Bool { [ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP, EINVAL].contains(code) }

    #if os(Linux) || os(Android)
    /// The kernel's `F_OFD_SETLK`, the same on all architectures, which the C library's module lacks.
    private static let setLock: CInt = 37
    #endif
}
