import Testing

@testable import SternaTransport

@Suite struct BackoffTests {
    @Test func theFirstFailuresCostNothing() {
        var backoff = Backoff()
        backoff.failed(at: 0, began: 0)
        backoff.failed(at: 0, began: 0)
        #expect(backoff.allowed(of: 16, at: 0) == 16)
    }

    @Test(arguments: [(3, 50), (4, 100), (5, 200), (7, 800), (8, 1_000), (900, 1_000)])
    func pausesGrowToASecond(failures: Int, milliseconds: Int64) {
        var backoff = Backoff()
        for _ in 0..<failures { backoff.failed(at: 7, began: 7) }
        #expect(backoff.notBefore == 7 + milliseconds * 1_000_000)
        #expect(backoff.allowed(of: 16, at: backoff.notBefore - 1) == 0)
        #expect(backoff.allowed(of: 16, at: backoff.notBefore) == 1)
        backoff.succeeded()
        #expect(backoff.allowed(of: 16, at: 0) == 16)
    }

    @Test func dialsThatFailTogetherCountOnce() {
        var backoff = Backoff()
        for now in Int64(1)...16 { backoff.failed(at: 100 + now, began: now) }
        #expect(backoff.failures == 1)
        backoff.failed(at: 200, began: 150)
        #expect(backoff.failures == 2)
    }

    @Test func whenAProbeFailsSoDoesEverybodyWhoWaitedForIt() throws {
        var pool = PoolState<PoolWorld.Connection, PoolWorld.Waiter>(maximumDials: 4)
        let all = (0..<8).map { _ in PoolWorld.Waiter(rank: 1, shard: 0, endpoint: 0) }
        for waiter in all.dropLast() { pool.wait(waiter) }
        var now: Int64 = 0
        #expect(pool.permitsWanted(at: now) == 4)
        for expected in all.prefix(3) {
            let begun = pool.beginDial()
            let waiter = try #require(begun)
            #expect(waiter === expected)
            let losers = pool.dialFailed(
                for: waiter, lastTicket: pool.line.lastTicket, began: now, counts: true, at: now)
            #expect(losers.count == 1)
        }
        #expect(pool.permitsWanted(at: now) == 0, "a pause")
        now = pool.backoff.notBefore
        #expect(pool.permitsWanted(at: now) == 1, "one dial shows how the others would fare")
        let begun = pool.beginDial()
        let probe = try #require(begun)
        let lastTicket = pool.line.lastTicket
        pool.wait(all[7])
        let losers = pool.dialFailed(for: probe, lastTicket: lastTicket, began: now, counts: true, at: now)
        #expect(losers.count == 4)
        #expect(pool.line.count == 1)
        #expect(pool.line.firstWithoutDial === all[7])
    }
}
