import Synchronization

/// Calls that are cancelled together: those of a session and of the sessions derived from it.
///
/// A scope has no list of its calls, so that a call costs no lock and no allocation here. A call keeps its scope and the initial
/// ``epoch``, and counts as cancelled once the epoch has changed. Only waits between attempts are listed.
package final class CallScope: Sendable {
    private let parent: CallScope?
    private let cancellations = Atomic<Int>(0)

    // The waits of calls between their attempts, including those of derived scopes.
    private let waits = Mutex<[any CallStep]>([])

    package init(below parent: CallScope? = nil) { self.parent = parent }

    /// The number of cancellations of this scope and of its parents.
    package var epoch: Int {
        var sum = cancellations.load(ordering: .sequentiallyConsistent)
        var scope = parent
        while let current = scope {
            sum &+= current.cancellations.load(ordering: .sequentiallyConsistent)
            scope = current.parent
        }
        return sum
    }

    /// Cancels the calls that have begun in this scope and in derived scopes: no further attempts begin. The engine must then end
    /// their attempts under way.
    package func cancel() {
        cancellations.add(1, ordering: .sequentiallyConsistent)
        for wait in waits.withLock({ $0 }) { wait.callCancelled() }
    }

    /// Lists a wait in this scope and its parents.
    func add(_ wait: any CallStep) {
        waits.withLock { $0.append(wait) }
        parent?.add(wait)
    }

    func remove(_ wait: any CallStep) {
        // The reference is released after unlocking.
        let removed = waits.withLock { waits in
            waits.firstIndex { $0 === wait }.map { waits.remove(at: $0) }
        }
        _ = removed
        parent?.remove(wait)
    }
}
