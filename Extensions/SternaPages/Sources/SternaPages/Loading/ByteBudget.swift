import Synchronization

/// The bytes that all resources of a page may have together, which several tasks take from.
final class ByteBudget: Sendable {
    private let left: Mutex<Int>

    init(_ bytes: Int) { left = Mutex(max(0, bytes)) }

    /// Takes bytes if so many are left.
    func take(_ count: Int) -> Bool {
        left.withLock { left in
            guard count <= left else {
                left = 0
                return false
            }
            left -= count
            return true
        }
    }

    var isEmpty: Bool { left.withLock { $0 == 0 } }
}
