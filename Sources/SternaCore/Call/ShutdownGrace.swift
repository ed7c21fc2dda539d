import Synchronization

/// Delays an engine's shutdown for calls that have received a response and may send another request.
package final class ShutdownGrace: Sendable {
    private let holds = Atomic<Int>(0)
    private let begun = Atomic<Bool>(false)
    private let over = Atomic<Bool>(false)
    private let released = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Whether any hold exists.
    package var isHeld: Bool { holds.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether the engine is being shut down.
    package var isShutDown: Bool { begun.load(ordering: .sequentiallyConsistent) }

    /// Marks the engine as shutting down.
    package func begin() { begun.store(true, ordering: .sequentiallyConsistent) }

    /// Whether the shutdown is complete, regardless of remaining holds.
    package var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

    package func end() { over.store(true, ordering: .sequentiallyConsistent) }

    /// Sets the action to run when the last hold is released.
    package func onRelease(_ act: @escaping @Sendable () -> Void) { released.withLock { $0 = act } }

    package func hold() -> Lease { Lease(self) }

    /// One hold, which lasts as long as the object.
    package final class Lease: Sendable {
        private let grace: ShutdownGrace

        fileprivate init(_ grace: ShutdownGrace) {
            self.grace = grace
            grace.holds.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }

        deinit {
            guard grace.holds.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
            grace.released.withLock { $0 }?()
        }
    }
}
