package import SternaCore
import Synchronization

/// The head of a stored response: its coded bytes, and what the rules have read of them, so that an entry in memory is read once.
package final class CachedHead: Sendable {
    package let bytes: Bytes
    private let known = Mutex<StoredHead?>(nil)

    package init(_ bytes: Bytes) { self.bytes = bytes }

    /// Returns the head as it was read before, or as `read` reads it.
    func decoded(_ read: (Bytes) -> StoredHead?) -> StoredHead? {
        if let known = known.withLock({ $0 }) { return known }
        guard let head = read(bytes) else { return nil }
        known.withLock { $0 = head }
        return head
    }
}
