import Synchronization

/// What keeps an engine that is being shut down until a call that has had one answer may ask for the next.
package final class Grace: Sendable {
    private let holds = Atomic<Int>(0)
    private let begun = Atomic<Bool>(false)
    private let over = Atomic<Bool>(false)
    private let released = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Whether somebody has a hold on it.
    package var isHeld: Bool { holds.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether the engine is being shut down.
    package var isShutDown: Bool { begun.load(ordering: .sequentiallyConsistent) }

    /// The engine is being shut down from now on.
    package func begin() { begun.store(true, ordering: .sequentiallyConsistent) }

    /// Whether nothing goes on any more, whoever has a hold on it.
    package var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

    package func end() { over.store(true, ordering: .sequentiallyConsistent) }

    /// What is done when nobody has a hold on it any more.
    package func onRelease(_ act: @escaping @Sendable () -> Void) { released.withLock { $0 = act } }

    package func hold() -> Hold { Hold(self) }

    /// One hold, until it is let go of.
    package final class Hold: Sendable {
        private let grace: Grace

        fileprivate init(_ grace: Grace) {
            self.grace = grace
            grace.holds.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }

        deinit {
            guard grace.holds.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
            grace.released.withLock { $0 }?()
        }
    }
}
