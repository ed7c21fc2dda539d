import SternaPlatform

/// What the environment says of mutation tests, and what the system must be told.
enum MutationSettings {
    /// `STERNA_MUTATION_SEED`, or a random one.
    static let seed = number("STERNA_MUTATION_SEED") ?? UInt64.random(in: 1..<1 << 32)

    /// `STERNA_MUTATION_SECONDS` of processor time for each reader; one by default.
    static let nanoseconds = min(number("STERNA_MUTATION_SECONDS") ?? 1, 1 << 20) * 1_000_000_000

    /// `STERNA_MUTATION_EXECUTIONS` of each reader, whatever time they take.
    static let executions = number("STERNA_MUTATION_EXECUTIONS")

    /// The content of the file `STERNA_MUTATION_INPUT`, which then is the only input.
    static let input = text("STERNA_MUTATION_INPUT").flatMap { read($0, limit: 1 << 20) }

    private static func text(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }

    private static func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }

    /// The content of a file, or its end where it is longer.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        lseek(file, off_t(max(0, size - limit)), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: max(0, min(size, limit)))
        let count = readBytes(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }

    /// Lets traps end the process at once, without a backtrace or a core, and gives way to other processes.
    static func prepareChild(errorsAt path: String) {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] { signal(number, SIG_DFL) }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(.init(RLIMIT_CORE.rawValue), &none)
        _ = nice(19)
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return }
        dup2(file, STDERR_FILENO)
        close(file)
    }

    /// The processor time of this process in nanoseconds.
    static func processorTime() -> UInt64 { time(CLOCK_PROCESS_CPUTIME_ID) }

    /// The time of a clock that never goes back, in nanoseconds.
    static func clockTime() -> UInt64 { time(CLOCK_MONOTONIC) }

    private static func time(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

// The function's own name means the method above.
private func readBytes(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(file, buffer, count)
}
