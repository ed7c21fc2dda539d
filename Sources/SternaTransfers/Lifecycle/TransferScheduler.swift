import Sterna
import SternaCore
import Synchronization

/// Schedules transfers. Both a store and a queue that a transfer has joined conform.
protocol TransferScheduling: Sendable {
    /// Waits for the turn of a transfer, which ``end(_:)`` ends. Throws `CancellationError` if the Swift task is cancelled first.
    func wait(_ id: TransferID, host: String, priority: Request.Priority) async throws

    /// Ends the turn of a transfer, or its wait.
    func end(_ id: TransferID)

    func setPriority(_ priority: Request.Priority, of id: TransferID)
}

/// The scheduler and the session that a queue gives a transfer.
struct QueueMembership: Sendable {
    var scheduler: any TransferScheduling
    var session: Session
}

/// Schedules the transfers of a store, by a ``QueuePlan``.
final class TransferScheduler: TransferScheduling {
    private struct State {
        var plan: QueuePlan<TransferID>
        var waits: [TransferID: Wait<Void>] = [:]
    }

    private let state: Mutex<State>

    init(_ limits: QueuePlan<TransferID>.Limits) {
        var plan = QueuePlan<TransferID>(limits)
        plan.resume()
        state = Mutex(State(plan: plan))
    }

    /// Waits for the turn of a transfer, which ``end(_:)`` ends. Throws `CancellationError` if the Swift task is cancelled first.
    func wait(_ id: TransferID, host: String, priority: Request.Priority) async throws {
        let wait = Wait<Void>()
        state.withLock { $0.waits[id] = wait }
        change { plan in
            plan.add(id, host: host, priority: priority)
            plan.ask(id)
        }
        try? await wait.value()
        guard Task.isCancelled else { return }
        end(id)
        throw CancellationError()
    }

    /// Ends the turn of a transfer, or its wait.
    func end(_ id: TransferID) {
        state.withLock { $0.waits[id] = nil }
        change { $0.remove(id) }
    }

    func setPriority(_ priority: Request.Priority, of id: TransferID) {
        state.withLock { $0.plan.setPriority(priority, of: id) }
    }

    private func change(_ change: (inout QueuePlan<TransferID>) -> Void) {
        let woken = state.withLock { state in
            change(&state.plan)
            return state.plan.next().compactMap { state.waits.removeValue(forKey: $0) }
        }
        for wait in woken { wait.end() }
    }
}
