#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Time and processor time of this process, in seconds.
public struct Usage: Sendable {
    public var wall: Double
    public var cpu: Double

    public static func now() -> Usage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Usage(wall: clock(), cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// Seconds of a clock that only goes forward.
    public static func clock() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    public static func - (later: Usage, earlier: Usage) -> Usage {
        Usage(wall: later.wall - earlier.wall, cpu: later.cpu - earlier.cpu)
    }
}

/// What this process holds at the moment, as Linux tells it.
public enum Holding {
    /// Resident memory in bytes.
    public static func memory() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        guard fgets(&text, 127, file) != nil else { return 0 }
        let line = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = line.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    /// Gives memory that is free back to the system, so that what is left is what is in use.
    public static func trim() {
        // Glibc's module does not have malloc_trim; its form is `int malloc_trim(size_t)`.
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)(0)
    }

    /// Open file descriptors, sockets among them.
    public static func descriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
