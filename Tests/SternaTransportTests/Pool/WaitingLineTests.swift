import Testing

@testable import SternaTransport

@Suite struct WaitingLineTests {
    private typealias Waiter = PoolWorld.Waiter

    private func waiters(_ ranks: [Int]) -> [Waiter] { ranks.map { Waiter(rank: $0, shard: 0, endpoint: 0) } }

    @Test func orderIsByRankThenArrival() {
        var line = WaitingLine<Waiter>()
        let all = waiters([1, 0, 2, 1, 2, 0])
        for waiter in all { line.append(waiter) }
        var order: [Int] = []
        while let next = line.popFirst() { order.append(all.firstIndex { $0 === next } ?? -1) }
        #expect(order == [2, 4, 0, 3, 1, 5])
        #expect(line.isEmpty)
    }

    @Test func whoNeedsAFreshConnectionGoesFirstButTakesNoUsedOne() {
        var line = WaitingLine<Waiter>()
        let all = waiters([2, 1])
        all[1].needsFreshConnection = true
        for waiter in all { line.append(waiter) }
        do {
            let result = line.popFirst(reused: true)
            #expect(result === all[0])
        }
        do {
            let result = line.popFirst(reused: true)
            #expect(result == nil)
        }
        #expect(line.count == 1)
        do {
            let result = line.popFirst()
            #expect(result === all[1])
        }
    }

    @Test func leavingFromTheMiddleAndComingBack() {
        var line = WaitingLine<Waiter>()
        let all = waiters([1, 1, 1])
        for waiter in all { line.append(waiter) }
        do {
            let result = line.remove(all[1])
            #expect(result)
        }
        do {
            let result = line.remove(all[1])
            #expect(!result)
        }
        line.append(all[1])
        do {
            let result = line.popFirst()
            #expect(result === all[0])
        }
        do {
            let result = line.popFirst()
            #expect(result === all[2])
        }
        do {
            let result = line.popFirst()
            #expect(result === all[1])
        }
        do {
            let result = line.popFirst()
            #expect(result == nil)
        }
    }

    @Test func tenThousandLeaveInLinearTime() {
        var line = WaitingLine<Waiter>()
        let all = waiters(Array(repeating: 1, count: 10_000))
        for waiter in all { line.append(waiter) }
        let time = ContinuousClock().measure { for waiter in all.reversed() { line.remove(waiter) } }
        #expect(line.isEmpty)
        // A search for each would look at fifty million places.
        #expect(time < .seconds(2))
    }

    @Test func thoseWhoCameBeforeAMomentLeaveTogether() {
        var line = WaitingLine<Waiter>()
        let all = waiters([1, 2, 0, 1])
        for waiter in all.dropLast() { line.append(waiter) }
        let ticket = line.lastTicket
        line.append(all[3])
        do {
            let result = line.removeAll(upTo: ticket)
            #expect(result.count == 3)
        }
        #expect(line.count == 1)
        do {
            let result = line.popFirst()
            #expect(result === all[3])
        }
    }
}
