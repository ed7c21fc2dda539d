import SternaPlatform
import Synchronization

/// Turns Ctrl-C and the polite signals into a cancellation; whoever sends a second one, or waits for long, ends the
/// process at once.
final class SignalWatch: Sendable {
    private static let numbers: [CInt] = [SIGINT, SIGTERM, SIGHUP]
    private static let patience = Duration.seconds(2)

    private let received = Mutex<CInt?>(nil)
    private let readingEnd = Mutex<CInt>(-1)
    private let cancel: @Sendable () -> Void

    /// Where the handler writes a signal's number; behind it the thread waits.
    private static let pipeEnd = Atomic<CInt>(-1)

    // A handler may do little more than write (POSIX, 2.4.3): a byte for each signal, errno as it was.
    private static let handler: @convention(c) (CInt) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(pipeEnd.load(ordering: .relaxed), &byte, 1)
        errno = before
    }

    /// Makes a write that nobody reads an error of that write instead of the process's end.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Watches until the process ends.
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
        // The thread takes over this reference, and with it keeps the object for as long as the process.
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(&thread, nil, Self.run, context)
    }

    #if canImport(Darwin)
    private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        // The pointer is the one that `init` made of a retained object.
        Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().wait()
    }
    #else
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        // The pointer is the one that `init` made of a retained object.
        Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().wait()
    }
    #endif

    /// The exit status that the signal received means, or nil.
    var status: Int32? { received.withLock { $0.map { 128 + $0 } } }

    private func wait() -> Never {
        let end = readingEnd.withLock { $0 }
        while true {
            var byte: UInt8 = 0
            if read(end, &byte, 1) == 1 { handle(CInt(byte)) }
        }
    }

    private func handle(_ number: CInt) {
        let isFirst = received.withLock { received in
            defer { received = received ?? number }
            return received == nil
        }
        guard isFirst else { end() }
        cancel()
        Task.detached { [self] in
            try? await Task.sleep(for: Self.patience)
            end()
        }
    }

    // Something is stuck, a write to a pipe that nobody reads for instance.
    private func end() -> Never {
        Cleanup.runAll()
        _exit(status ?? ExitStatus.interrupted)
    }
}
