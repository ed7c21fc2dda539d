#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Ends the process of an exit test that failed.
func endProcess() -> Never { exit(EXIT_FAILURE) }
