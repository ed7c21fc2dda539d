import NIOCore
import SternaCore
import Synchronization

/// What an origin has left of its retry budget: a value, without a clock.
struct RetryAccount: Sendable {
    /// The requests that retries were not made for yet.
    private(set) var requests: Double

    /// The retries of the floor that are left; nil before the first one.
    private var reserve: Double?

    /// When the reserve was last looked at.
    private(set) var lookedAt: NIODeadline

    /// The maximum number of requests that count, so that a good day does not pay for a bad one.
    static let mostRequests = 500.0

    /// Opens an account with one request.
    init(at now: NIODeadline) {
        lookedAt = now
        requests = 1
    }

    /// Counts a request.
    mutating func count() { requests = min(requests + 1, Self.mostRequests) }

    /// Takes a retry out of the account; returns whether there was one.
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

/// The retry budgets of a session's origins. Only origins that have failed have an account, so that requests cost nothing here
/// while all goes well.
final class RetryLedger: Sendable {
    private struct Entry: Sendable {
        let origin: Origin
        var account: RetryAccount
    }

    // A list: few origins fail at the same time.
    private let entries = Mutex<[Entry]>([])
    private let hasEntries = Atomic<Bool>(false)

    /// The maximum number of accounts; the one that was looked at first makes room.
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

    /// Takes a retry out of an origin's account; returns whether the budget has one. Opens an account if
    /// there is none.
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
