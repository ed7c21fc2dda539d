import SternaPlatform
import Synchronization

/// Turns Ctrl-C and the signals SIGTERM and SIGHUP into a cancellation. A second signal terminates the process at once, and so
/// does a wait that is longer than the command's patience.
final class SignalWatch: Sendable {
    private static let numbers: [CInt] = [SIGINT, SIGTERM, SIGHUP]

    private static let patience = Atomic<Int>(2)

    /// Sets how many seconds the command may take to end after a signal.
    static func wait(seconds: Int) { patience.store(seconds, ordering: .relaxed) }

    /// Called when the window has changed its size.
    private static let resized = Mutex<(@Sendable () -> Void)?>(nil)

    private let received = Mutex<CInt?>(nil)
    private let readingEnd = Mutex<CInt>(-1)
    private let cancel: @Sendable () -> Void

    /// The pipe end that the handler writes a signal's number to; the thread waits at the other end.
    private static let pipeEnd = Atomic<CInt>(-1)

    // A handler may do little more than write (POSIX, 2.4.3): it writes a byte for each signal, and restores errno.
    private static let handler: @convention(c) (CInt) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(pipeEnd.load(ordering: .relaxed), &byte, 1)
        errno = before
    }

    /// Makes a write to a closed pipe fail with an error instead of ending the process.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Calls a closure, on a thread of its own, when the terminal's window changes its size.
    static func onResize(_ action: @escaping @Sendable () -> Void) {
        resized.withLock { $0 = action }
        signal(SIGWINCH, handler)
    }

    /// Watches for signals until the process ends.
    init(_ cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readingEnd.withLock { $0 = ends[0] }
        Self.pipeEnd.store(ends[1], ordering: .relaxed)
        for number in Self.numbers { signal(number, Self.handler) }
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        // The thread takes over this reference, which keeps the object alive as long as the process.
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(&thread, nil, Self.run, context)
    }

    #if canImport(Darwin)
    private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        // `init` made the pointer from a retained object.
        Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().wait()
    }
    #else
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        // `init` made the pointer from a retained object.
        Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().wait()
    }
    #endif

    /// The exit status for the received signal, or nil.
    var status: Int32? { received.withLock { $0.map { 128 + $0 } } }

    private func wait() -> Never {
        let end = readingEnd.withLock { $0 }
        while true {
            var byte: UInt8 = 0
            if read(end, &byte, 1) == 1 { handle(CInt(byte)) }
        }
    }

    private func handle(_ number: CInt) {
        if number == SIGWINCH {
            let action = Self.resized.withLock { $0 }
            action?()
            return
        }
        let isFirst = received.withLock { received in
            defer { received = received ?? number }
            return received == nil
        }
        guard isFirst else { end() }
        cancel()
        Task.detached { [self] in
            try? await Task.sleep(for: .seconds(Self.patience.load(ordering: .relaxed)))
            end()
        }
    }

    // Something is stuck, such as a write to a pipe without a reader.
    private func end() -> Never {
        Cleanup.runAll()
        _exit(status ?? ExitStatus.interrupted)
    }
}
