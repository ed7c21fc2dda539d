import Synchronization

/// Holds the newest value, and resumes the readers that wait for a change.
package final class UpdateChannel<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 0
        var isEnded = false
        var waits: [ObjectIdentifier: Wait<Void>] = [:]

        mutating func takeWaits() -> [Wait<Void>] {
            defer { waits = [:] }
            return Array(waits.values)
        }
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var current: Value { state.withLock { $0.value } }

    /// The number of values that were reported.
    package var version: Int { state.withLock { $0.version } }

    /// Sets the value; has no effect after the end.
    package func report(_ value: Value) {
        let waits = state.withLock { state -> [Wait<Void>] in
            guard !state.isEnded else { return [] }
            state.value = value
            state.version += 1
            return state.takeWaits()
        }
        for wait in waits { wait.end() }
    }

    /// Ends all sequences.
    package func end() {
        let waits = state.withLock { state in
            state.isEnded = true
            return state.takeWaits()
        }
        for wait in waits { wait.end() }
    }

    /// Waits until there is a version above the given one; nil at the end, or if the Swift task is cancelled.
    package func change(
        after seen: Int, isolation: isolated (any Actor)? = #isolation
    ) async -> (Int, Value)? {
        while true {
            let (found, wait) = state.withLock { state -> ((Int, Value)?, Wait<Void>?) in
                guard state.version == seen else { return ((state.version, state.value), nil) }
                guard !state.isEnded else { return (nil, nil) }
                let wait = Wait<Void>()
                state.waits[wait.id] = wait
                return (nil, wait)
            }
            guard let wait else { return found }
            do {
                try await wait.value()
            } catch {
                state.withLock { $0.waits[wait.id] = nil }
                return nil
            }
        }
    }
}
