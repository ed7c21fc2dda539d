import NIOCore
import SternaCore
import Synchronization

/// The limit of one origin, and its requests.
///
/// Requests keep the gate they came through, so that they are woken and counted there even if another origin takes its place among
/// the known ones.
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

        /// Gives free permits to requests that wait; returns what wakes them.
        mutating func admit() -> [CallWait] {
            let admitted = permits.admit(limit: estimate.limit)
            guard !admitted.isEmpty else { return [] }
            let woken = waiters.filter { admitted.contains($0.ticket) }.map(\.pause)
            waiters.removeAll { admitted.contains($0.ticket) }
            return woken
        }
    }

    /// What a request has to do.
    enum Entry: Sendable {
        case pass
        /// Wait; it then has a permit unless ``giveUp(_:)`` says otherwise.
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

    /// The number of requests that wait.
    var waiting: Int { state.withLock { $0.permits.queue.count } }

    /// Asks for a permit.
    ///
    /// - Parameters:
    ///   - pause: what the request waits with.
    ///   - most: the maximum number of requests that wait.
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

    /// Takes a request out of the queue; returns false if it has a permit by now.
    func giveUp(_ ticket: UInt64) -> Bool {
        // The waiter is released after unlocking.
        let (isGone, _) = state.withLock { state -> (Bool, Waiter?) in
            guard state.permits.giveUp(ticket) else { return (false, nil) }
            return (true, state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) })
        }
        return isGone
    }

    /// Gives the permit of a request up, and records how it has ended.
    func leave(_ outcome: ConcurrencyEstimate.Outcome, sent: NIODeadline, inFlight: Int, at now: NIODeadline) {
        let woken = state.withLock { state in
            state.estimate.ended(outcome, sent: sent, inFlight: inFlight, at: now)
            state.permits.leave()
            return state.admit()
        }
        for pause in woken { pause.wake() }
    }
}
