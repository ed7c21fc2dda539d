package import SternaCore
import Synchronization

/// The coded head of a stored response, and its decoded form, so that an entry in memory is decoded once.
package final class CachedHead: Sendable {
    package let bytes: Bytes
    private let known = Mutex<StoredHead?>(nil)

    package init(_ bytes: Bytes) { self.bytes = bytes }

    /// Returns the decoded head; decodes it with `read` the first time.
    func decoded(_ read: (Bytes) -> StoredHead?) -> StoredHead? {
        if let known = known.withLock({ $0 }) { return known }
        guard let head = read(bytes) else { return nil }
        known.withLock { $0 = head }
        return head
    }
}
