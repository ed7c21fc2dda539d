import Synchronization

/// A number that several tasks add to.
final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    /// Adds to the number and returns it.
    @discardableResult
    func add(_ count: Int = 1) -> Int {
        number.withLock { number in
            number += count
            return number
        }
    }

    /// Sets the number to a larger one.
    func raise(to least: Int) { number.withLock { $0 = max($0, least) } }
}
