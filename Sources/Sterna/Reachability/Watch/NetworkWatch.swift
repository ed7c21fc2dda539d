import Synchronization

/// Shares a source among its subscribers. The source runs while there is at least one.
package final class NetworkWatch: Sendable {
    /// The watch of the system's network, shared by the process.
    package static let system = NetworkWatch(SystemNetworkSource())

    private struct State {
        var readers: [Int: @Sendable (NetworkTable?) -> Void] = [:]
        var lastReader = 0
        var run = 0
        var end: (@Sendable () -> Void)?
        var known: NetworkTable??
    }

    private let source: any NetworkSource
    private let state = Mutex(State())

    // Held while readers are called, so that each sees all states in order.
    private let delivery = Mutex(())

    package init(_ source: any NetworkSource) { self.source = source }

    /// Whether the source runs.
    package var isRunning: Bool { state.withLock { !$0.readers.isEmpty } }

    /// Calls a closure with the state, once it is known, and with its changes, until the returned object is released. The closure
    /// must return at once, and neither add nor remove readers.
    package func subscribe(_ body: @escaping @Sendable (NetworkTable?) -> Void) -> NetworkSubscription {
        let (number, run) = delivery.withLock { _ in
            let (number, known, run) = state.withLock { state in
                state.lastReader += 1
                let isFirst = state.readers.isEmpty
                state.readers[state.lastReader] = body
                if isFirst {
                    state.run += 1
                    state.known = nil
                }
                return (state.lastReader, state.known, isFirst ? state.run : nil)
            }
            if let known { body(known) }
            return (number, run)
        }
        if let run { begin(run) }
        return NetworkSubscription { [weak self] in self?.remove(number) }
    }

    private func begin(_ run: Int) {
        let end = source.begin { [weak self] table in self?.report(table, run) }
        let isLate = state.withLock { state in
            guard state.run == run, !state.readers.isEmpty else { return true }
            state.end = end
            return false
        }
        if isLate { end() }
    }

    private func remove(_ number: Int) {
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            state.readers[number] = nil
            guard state.readers.isEmpty else { return nil }
            return state.end.take()
        }
        end?()
    }

    private func report(_ table: NetworkTable?, _ run: Int) {
        delivery.withLock { _ in
            let readers = state.withLock { state -> [@Sendable (NetworkTable?) -> Void] in
                guard state.run == run else { return [] }
                state.known = .some(table)
                return state.readers.sorted { $0.key < $1.key }.map(\.value)
            }
            for reader in readers { reader(table) }
        }
    }
}

/// Ends a subscription when it is released.
package final class NetworkSubscription: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
