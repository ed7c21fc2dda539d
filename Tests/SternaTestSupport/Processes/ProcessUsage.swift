import SternaPlatform

/// What a process has used, for exit tests, which have one of their own.
enum ProcessUsage {
    /// The processor time so far, which does not grow while other processes run. POSIX has `clock()` in microseconds.
    static func processorTime() -> Duration { .microseconds(Int64(clock())) }

    /// The most memory so far, in bytes.
    static func peakMemory() -> Int {
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
