import NIOCore
import SternaCore
import Synchronization

/// The exchanges of a recorder, and the bytes of those that still run, within its limits.
final class RecorderMemory: Sendable {
    /// What bytes are taken for.
    enum Part {
        case heads
        /// A body that passes. A quarter of the bytes is left for heads, so that large bodies lose no exchange.
        case body
    }

    private struct State {
        var items = CircularBuffer<(exchange: Recorder.Exchange, size: Int)>()
        /// The size of the items.
        var kept = 0
        /// The bytes of exchanges that still run.
        var running = 0
    }

    /// The maximum numbers of exchanges and of bytes.
    private let (most, mostBytes): (Int, Int)
    private let state = Mutex(State())

    init(_ limits: Recorder.Limits) { (most, mostBytes) = (max(1, limits.exchanges), max(0, limits.bytes)) }

    var exchanges: [Recorder.Exchange] { state.withLock { $0.items.map(\.exchange) } }

    /// Takes bytes for an exchange that still runs, for which the oldest ones are removed; returns false if there are not so many.
    func take(_ count: Int, of part: Part) -> Bool {
        let limit = part == .heads ? mostBytes : mostBytes - mostBytes / 4
        let removed = state.withLock { state -> [Recorder.Exchange]? in
            guard count <= limit - state.running else { return nil }
            state.running += count
            return removeOldest(&state)
        }
        return removed != nil
    }

    /// Returns bytes of an exchange that still runs.
    func release(_ count: Int) { state.withLock { $0.running -= count } }

    /// Adds an exchange, whose bytes were taken.
    func add(_ exchange: Recorder.Exchange, size: Int) {
        let removed = state.withLock { state in
            state.items.append((exchange, size))
            state.running -= size
            state.kept += size
            return removeOldest(&state)
        }
        _ = removed
    }

    func clear() {
        let removed = state.withLock { state in
            let removed = state.items
            (state.items, state.kept) = (CircularBuffer(), 0)
            return removed
        }
        _ = removed
    }

    /// Removes exchanges beyond the limits. The caller releases them after unlocking.
    private func removeOldest(_ state: inout State) -> [Recorder.Exchange] {
        var removed: [Recorder.Exchange] = []
        while state.items.count > most || state.kept > mostBytes - state.running,
            let oldest = state.items.popFirst()
        {
            state.kept -= oldest.size
            removed.append(oldest.exchange)
        }
        return removed
    }
}
