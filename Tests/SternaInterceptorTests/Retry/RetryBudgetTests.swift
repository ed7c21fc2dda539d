import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The budget of an origin, in values.
@Suite("Retry: budget")
struct RetryBudgetTests {
    @Test("The floor, then a fifth of the requests")
    func outage() {
        let now = NIODeadline.uptimeNanoseconds(1_000)
        var account = RetryAccount(at: now)
        var retries = 0
        for _ in 0..<1_000 {
            if account.withdraw(RetryBudget(), at: now) { retries += 1 }
            account.count()
        }
        #expect(retries <= 210)
        #expect(retries >= 200)
    }

    @Test("The floor renews itself within its window, and no further")
    func renewal() {
        var now = NIODeadline.uptimeNanoseconds(1_000)
        var account = RetryAccount(at: now)
        let budget = RetryBudget(share: 0, floor: 4, window: .seconds(8))
        func taken() -> Int { (0..<20).count { _ in account.withdraw(budget, at: now) } }
        expectEqual(taken(), 4)
        now = now + .seconds(2)
        expectEqual(taken(), 1)
        now = now + .seconds(1)
        expectEqual(taken(), 0)
        // The half that was there is kept.
        now = now + .seconds(1)
        expectEqual(taken(), 1)
        now = now + .hours(5)
        expectEqual(taken(), 4)
    }

    @Test("A share that is not positive and finite gives only the floor", arguments: [0, -1, Double.infinity, .nan])
    func odd(share: Double) {
        let now = NIODeadline.uptimeNanoseconds(1_000)
        var account = RetryAccount(at: now)
        for _ in 0..<100 { account.count() }
        let budget = RetryBudget(share: share, floor: 2, window: .zero)
        expectEqual((0..<10).count { _ in account.withdraw(budget, at: now) }, 2)
    }

    @Test("Each origin has its own account after a failure, and the number of accounts is bounded")
    func ledger() throws {
        let now = NIODeadline.uptimeNanoseconds(1_000)
        let ledger = RetryLedger()
        let budget = RetryBudget(share: 0.5, floor: 0)
        let one = try Origin(scheme: .https, host: "one.example.com")
        let two = try Origin(scheme: .https, host: "two.example.com")
        #expect(!ledger.isCounting)
        ledger.count(one)
        #expect(!ledger.withdraw(budget, one, at: now))
        #expect(ledger.isCounting)
        ledger.count(one)
        ledger.count(two)
        #expect(ledger.withdraw(budget, one, at: now))
        #expect(!ledger.withdraw(budget, one, at: now))
        #expect(!ledger.withdraw(budget, two, at: now))
        #expect(ledger.withdraw(nil, two, at: now))
        for number in 0..<200 {
            let other = try Origin(scheme: .http, host: "n\(number).example.com")
            #expect(!ledger.withdraw(budget, other, at: now + .seconds(Int64(number))))
        }
        ledger.count(one)
        #expect(!ledger.withdraw(budget, one, at: now))
    }
}
