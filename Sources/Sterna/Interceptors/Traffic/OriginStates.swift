import SternaCore
import Synchronization

/// A state for each origin; beyond the limit, the least recently used one is evicted.
final class OriginStates<State: Sendable>: Sendable {
    private struct Entry: Sendable {
        let origin: Origin
        var state: State
    }

    private let entries = Mutex<[Entry]>([])
    private let make: @Sendable () -> State

    /// The maximum number of origins.
    let limit = 128

    init(_ make: @escaping @Sendable () -> State) { self.make = make }

    /// Reads and changes the state of an origin.
    func update<R: Sendable>(_ origin: Origin, _ change: (inout State) -> R) -> R {
        entries.withLock { entries in
            // The last entry is the one used last.
            if entries.last?.origin != origin {
                if let index = entries.lastIndex(where: { $0.origin == origin }) {
                    entries.append(entries.remove(at: index))
                } else {
                    if entries.count >= limit { entries.removeFirst() }
                    entries.append(Entry(origin: origin, state: make()))
                }
            }
            return change(&entries[entries.count - 1].state)
        }
    }
}
