import Synchronization

/// Calls that are cancelled together: those of a session and of the sessions derived from it.
///
/// A scope does not know its calls, so that a call costs no lock and no allocation here. A call keeps its scope and the
/// ``epoch`` of its beginning; it counts as cancelled once that has changed. Only calls that wait between attempts are listed.
package final class CallScope: Sendable {
    private let parent: CallScope?
    private let cancellations = Atomic<Int>(0)

    // The waits of calls between their attempts, those of the scopes below included.
    private let waits = Mutex<[any CallStep]>([])

    package init(below parent: CallScope? = nil) { self.parent = parent }

    /// How often calls of this scope were cancelled: those of the scopes above included.
    package var epoch: Int {
        var sum = cancellations.load(ordering: .sequentiallyConsistent)
        var scope = parent
        while let current = scope {
            sum &+= current.cancellations.load(ordering: .sequentiallyConsistent)
            scope = current.parent
        }
        return sum
    }

    /// Cancels the calls that have begun in this scope and in those below. Their attempts under way have to be ended then, by the engine;
    /// further ones do not begin.
    package func cancel() {
        cancellations.add(1, ordering: .sequentiallyConsistent)
        for wait in waits.withLock({ $0 }) { wait.callCancelled() }
    }

    /// Lists a wait, here and in the scopes above.
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
