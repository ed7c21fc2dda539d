import Sterna
import SternaCore

/// Identifies requests that share a transfer.
struct TransferKey: Sendable, Hashable {
    let request: ImageRequestKey
    let policy: CachePolicy
    /// A unique number for a request that must not share a transfer; 0 otherwise.
    let own: Int
}

/// The receivers of each transfer, and the running transfers. A value without I/O.
struct ImageTransferTable: Sendable {
    struct Transfer: Sendable {
        let key: TransferKey
        /// In the order of their arrival.
        var receivers: [Int] = []
    }

    /// Effects of removing a receiver.
    enum Departure: Sendable, Hashable {
        /// Other receivers wait for the transfer, or it is over.
        case nothing
        /// The transfer had not begun, and was removed.
        case removed(Int)
        /// The transfer is running without a receiver.
        case abandoned(Int)
    }

    private(set) var transfers: [Int: Transfer] = [:]
    private var ids: [TransferKey: Int] = [:]
    private var transferOfReceiver: [Int: Int] = [:]
    private var plan: QueuePlan<Int>
    private var lastID = 0

    init(order: DownloadPrioritization, maximumActive: Int) {
        plan = QueuePlan(.init(total: maximumActive), lastComesFirst: order == .lifo)
        plan.resume()
    }

    var activeCount: Int { plan.runningCount }

    var waitingCount: Int { plan.count - plan.runningCount }

    /// Adds a receiver to the transfer of its key, or to a new one. Returns the transfer's number, whether it is new, and its
    /// priority if that has risen.
    mutating func join(
        _ receiver: Int, _ key: TransferKey, _ priority: Request.Priority
    ) -> (transfer: Int, isNew: Bool, raised: Request.Priority?) {
        let known = ids[key]
        if known == nil { lastID += 1 }
        let id = known ?? lastID
        ids[key] = id
        transferOfReceiver[receiver] = id
        transfers[id, default: Transfer(key: key)].receivers.append(receiver)
        if let present = plan.priority(of: id), priority <= present { return (id, false, nil) }
        if plan.isRunning(id) {
            plan.setPriority(priority, of: id)
        } else {
            // A transfer whose priority has risen is queued after others of that priority.
            plan.remove(id)
            plan.add(id, priority: priority)
            plan.ask(id)
        }
        return (id, known == nil, known == nil ? nil : priority)
    }

    /// Removes a receiver that no longer waits.
    mutating func leave(_ receiver: Int) -> Departure {
        guard let id = transferOfReceiver.removeValue(forKey: receiver), var transfer = transfers[id] else {
            return .nothing
        }
        transfer.receivers.removeAll { $0 == receiver }
        transfers[id] = transfer
        guard transfer.receivers.isEmpty else { return .nothing }
        if plan.isRunning(id) { return .abandoned(id) }
        plan.remove(id)
        ids[transfer.key] = nil
        transfers[id] = nil
        return .removed(id)
    }

    /// Returns the transfers to begin, within the limit on running ones.
    mutating func begin() -> [Int] { plan.next() }

    /// Keeps later receivers from a transfer that is being cancelled; they get a new one.
    mutating func detach(_ id: Int) {
        guard let transfer = transfers[id], ids[transfer.key] == id else { return }
        ids[transfer.key] = nil
    }

    /// The receivers that wait for a transfer, in the order of their arrival.
    func receivers(of id: Int) -> [Int] { transfers[id]?.receivers ?? [] }

    /// Removes and returns receivers that get their result.
    mutating func take(_ meant: Set<Int>, from id: Int) -> [Int] {
        guard var transfer = transfers[id] else { return [] }
        let taken = transfer.receivers.filter { meant.contains($0) }
        transfer.receivers.removeAll { meant.contains($0) }
        transfers[id] = transfer
        for receiver in taken { transferOfReceiver[receiver] = nil }
        return taken
    }

    /// Removes a transfer that is over and has no receivers.
    mutating func end(_ id: Int) {
        detach(id)
        transfers[id] = nil
        plan.remove(id)
    }
}
