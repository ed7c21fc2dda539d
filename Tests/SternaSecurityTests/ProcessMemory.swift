import SternaPlatform

/// The memory of a process, for exit tests, which have one of their own.
enum ProcessMemory {
    /// The most that the process has had so far, in bytes.
    static func peak() -> Int {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss
        #elseif canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss << 10
        #else
        getrusage(RUSAGE_SELF, &usage)
        return Int(usage.ru_maxrss) << 10
        #endif
    }
}
