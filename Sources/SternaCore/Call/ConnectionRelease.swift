import Synchronization

/// A paused call's offer to give up its connections when another request waits for one.
package final class ConnectionRelease: Sendable {
    /// The number of paused calls in the process with an offer; without any, no search is needed.
    private static let offers = Atomic<Int>(0)

    /// Whether any paused call may give up its connections.
    package static var isOffered: Bool { offers.load(ordering: .relaxed) > 0 }

    private let isOffered = Atomic<Bool>(false)
    private let work: @Sendable () -> Bool

    /// - Parameter work: prepares the call for the end of its attempts, and returns whether they may end; called from any thread.
    package init(_ work: @escaping @Sendable () -> Bool) { self.work = work }

    deinit { withdraw() }

    func offer() {
        if !isOffered.exchange(true, ordering: .relaxed) { Self.offers.add(1, ordering: .relaxed) }
    }

    func withdraw() {
        if isOffered.exchange(false, ordering: .relaxed) { Self.offers.subtract(1, ordering: .relaxed) }
    }

    func accept() -> Bool { work() }
}
