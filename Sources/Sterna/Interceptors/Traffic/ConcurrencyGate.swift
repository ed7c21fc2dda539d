import NIOCore
import SternaCore
import Synchronization

/// The limit and the requests of one origin.
///
/// Requests keep a reference to their gate, so that they are resumed and counted there even if the origin's state has been evicted.
final class ConcurrencyGate: Sendable {
    private struct Waiter: Sendable {
        let ticket: UInt64
        let pause: CallWait
    }

    private struct State: Sendable {
        var estimate: ConcurrencyEstimate
        var permits = ConcurrencyPermits()
        var waiters: [Waiter] = []
        var lastTicket: UInt64 = 0

        /// Assigns free permits to waiting requests; returns the waits to end.
        mutating func admit() -> [CallWait] {
            let admitted = permits.admit(limit: estimate.limit)
            guard !admitted.isEmpty else { return [] }
            let woken = waiters.filter { admitted.contains($0.ticket) }.map(\.pause)
            waiters.removeAll { admitted.contains($0.ticket) }
            return woken
        }
    }

    /// How a request proceeds.
    enum Entry: Sendable {
        case pass
        /// The request waits; afterwards it has a permit unless ``giveUp(_:)`` returns true.
        case wait(ticket: UInt64)
        case refuse
    }

    private let state: Mutex<State>

    init(_ bounds: ConcurrencyEstimate.Bounds) {
        state = Mutex(State(estimate: ConcurrencyEstimate(bounds)))
    }

    /// The number of requests that may be under way.
    var limit: Int { state.withLock { $0.estimate.limit } }

    /// The number of requests under way.
    var inFlight: Int { state.withLock { $0.permits.inFlight } }

    /// The number of waiting requests.
    var waiting: Int { state.withLock { $0.permits.queue.count } }

    /// Requests a permit.
    ///
    /// - Parameters:
    ///   - pause: the wait of the request.
    ///   - most: the maximum number of waiting requests.
    func enter(_ pause: CallWait, waiting most: Int) -> Entry {
        state.withLock { state in
            state.lastTicket &+= 1
            let ticket = state.lastTicket
            switch state.permits.enter(ticket, limit: state.estimate.limit, waiting: most) {
            case .pass: return .pass
            case .refuse: return .refuse
            case .wait:
                state.waiters.append(Waiter(ticket: ticket, pause: pause))
                return .wait(ticket: ticket)
            }
        }
    }

    /// Removes a request from the queue; returns false if it has received a permit.
    func giveUp(_ ticket: UInt64) -> Bool {
        // The waiter is released after unlocking.
        let (isGone, _) = state.withLock { state -> (Bool, Waiter?) in
            guard state.permits.giveUp(ticket) else { return (false, nil) }
            return (true, state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) })
        }
        return isGone
    }

    /// Returns the permit of a request, and records its outcome.
    func leave(_ outcome: ConcurrencyEstimate.Outcome, sent: NIODeadline, inFlight: Int, at now: NIODeadline) {
        let woken = state.withLock { state in
            state.estimate.ended(outcome, sent: sent, inFlight: inFlight, at: now)
            state.permits.leave()
            return state.admit()
        }
        for pause in woken { pause.wake() }
    }
}
