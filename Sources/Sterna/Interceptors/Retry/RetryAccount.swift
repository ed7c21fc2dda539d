import NIOCore
import SternaCore
import Synchronization

/// The rest of an origin's retry budget.
struct RetryAccount: Sendable {
    /// The number of requests counted, less those that were spent on retries.
    private(set) var requests: Double

    /// The remaining retries of the floor; nil before the first withdrawal.
    private var reserve: Double?

    /// When the reserve was last updated.
    private(set) var lookedAt: NIODeadline

    /// The maximum number of requests that count, so that a long time without failures does not permit a burst of retries.
    static let mostRequests = 500.0

    /// Opens an account with one request.
    init(at now: NIODeadline) {
        lookedAt = now
        requests = 1
    }

    /// Counts a request.
    mutating func count() { requests = min(requests + 1, Self.mostRequests) }

    /// Withdraws a retry; returns false if none is left.
    mutating func withdraw(_ budget: RetryBudget, at now: NIODeadline) -> Bool {
        let floor = Double(max(budget.floor, 0))
        let window = max(TimeAmount(clamping: budget.window).nanoseconds, 1)
        let passed = max((now - lookedAt).nanoseconds, 0)
        let renewed = (reserve ?? floor) + floor * Double(passed) / Double(window)
        let left = min(renewed, floor)
        lookedAt = now
        reserve = left
        if budget.share > 0, budget.share.isFinite {
            let price = 1 / budget.share
            if requests >= price {
                requests -= price
                return true
            }
        }
        guard left >= 1 else { return false }
        reserve = left - 1
        return true
    }
}

/// The retry budgets of a session's origins. Only origins with failures have an account, so that requests cost nothing without
/// failures.
final class RetryLedger: Sendable {
    private struct Entry: Sendable {
        let origin: Origin
        var account: RetryAccount
    }

    // A list: few origins fail at the same time.
    private let entries = Mutex<[Entry]>([])
    private let hasEntries = Atomic<Bool>(false)

    /// The maximum number of accounts; beyond it, the one updated longest ago is removed.
    static let limit = 64

    /// Whether any origin has an account, so that requests are counted.
    var isCounting: Bool { hasEntries.load(ordering: .relaxed) }

    /// Counts a request to an origin that has an account.
    func count(_ origin: Origin) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.origin == origin }) else { return }
            entries[index].account.count()
        }
    }

    /// Withdraws a retry from an origin's account, which it opens if necessary; returns false if none is left.
    func withdraw(_ budget: RetryBudget?, _ origin: Origin, at now: NIODeadline) -> Bool {
        guard let budget else { return true }
        return entries.withLock { entries in
            let index = Self.index(of: origin, in: &entries, at: now)
            hasEntries.store(true, ordering: .relaxed)
            return entries[index].account.withdraw(budget, at: now)
        }
    }

    private static func index(of origin: Origin, in entries: inout [Entry], at now: NIODeadline) -> Int {
        if let known = entries.firstIndex(where: { $0.origin == origin }) { return known }
        if entries.count >= limit,
            let oldest = entries.indices.min(by: { entries[$0].account.lookedAt < entries[$1].account.lookedAt })
        {
            entries.remove(at: oldest)
        }
        entries.append(Entry(origin: origin, account: RetryAccount(at: now)))
        return entries.count - 1
    }
}
