#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's mutex in place of the standard library's, which locks on Linux by means that the Thread Sanitizer does not see,
/// so that it would take all that is locked for races. `.ci/sanitize` puts it into each module.
// Invariant: `value` is touched only while `mutex` is held.
final class Mutex<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value
    // A value without a size has the address of what follows: of this byte, which nothing reads, and not of the pointer to the mutex.
    private let end: UInt8 = 0

    init(_ value: consuming Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
