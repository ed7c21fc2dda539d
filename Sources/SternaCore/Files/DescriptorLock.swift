import SternaPlatform

/// Locks of a whole file that belong to its open file description: closing another descriptor of the file does not release them,
/// as it does POSIX locks, and they exclude each other within a process, too. The system releases those of a killed process.
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
        // Those of BSD belong to the open file description.
        while flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            let code = errno
            guard code == EINTR else { return code == EWOULDBLOCK ? EAGAIN : code }
        }
        return 0
        #endif
    }

    /// Takes the lock, waiting until a moment at most. Returns 0 or the system's error number, `EAGAIN` after the wait.
    static func take(_ descriptor: CInt, isExclusive: Bool, until deadline: ContinuousClock.Instant) -> CInt {
        // The system's own wait has no limit. The pauses grow from a fifth of a millisecond to 20 ms.
        var pause: UInt32 = 200
        while true {
            let code = take(descriptor, isExclusive: isExclusive)
            guard code == EAGAIN, ContinuousClock.now < deadline else { return code }
            usleep(pause)
            pause = min(2 * pause, 20_000)
        }
    }

    /// Gives the lock up. Closing the descriptor alone leaves it to a child process that has been forked and has not begun its program.
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

    /// Whether an error number says that the file system has no locks.
    static func isUnsupported(_ code: CInt) -> Bool { [ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP, EINVAL].contains(code) }

    #if os(Linux) || os(Android)
    /// `F_OFD_SETLK` of the kernel, the same on all its architectures, which the C library's module leaves out.
    private static let setLock: CInt = 37
    #endif
}
