#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's mutex in place of the standard library's, which locks on Linux by means that the Thread Sanitizer does not see,
/// so that it would take all that is locked for races. `.ci/sanitize` puts it into each module.
// Invariant: `kept` is touched only while `mutex` is held.
// Usable from inlinable code, as the standard library's is.
@usableFromInline
final class Mutex<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var kept: Kept

    /// A value without a size would have the address of the object's own head, which is read without the mutex.
    private struct Kept: ~Copyable {
        var value: Value
        let size: UInt8 = 0
    }

    @usableFromInline
    init(_ value: consuming Value) {
        kept = Kept(value: value)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @usableFromInline
    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&kept.value)
    }
}
