import Sterna
import SternaPlatform

/// The number of files and connections that the process may have open.
enum OpenFiles {
    /// Raises the limit to what the system allows. The usual one of 1,024 is for programs that still use `select`.
    static func allowMost() {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        // Apple's systems allow no more, whatever `getrlimit` reports, and memory is set aside for what is allowed.
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 10_240))
        _ = setrlimit(resource, &limit)
    }
}
