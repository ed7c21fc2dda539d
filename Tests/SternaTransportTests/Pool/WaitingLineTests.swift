import Testing

@testable import SternaTransport

@Suite struct WaitingLineTests {
    private typealias Waiter = PoolWorld.Waiter

    private func waiters(_ ranks: [Int]) -> [Waiter] { ranks.map { Waiter(rank: $0, shard: 0, endpoint: 0) } }

    private func line(of waiters: [Waiter]) -> WaitingLine<Waiter> {
        var line = WaitingLine<Waiter>()
        for waiter in waiters { line.append(waiter) }
        return line
    }

    /// The order in which a line is served, as positions in a list.
    private func order(_ line: WaitingLine<Waiter>, of all: [Waiter], reused: Bool = false) -> [Int?] {
        var line = line
        var order: [Int?] = []
        while let next = line.popFirst(reused: reused) { order.append(all.firstIndex { $0 === next }) }
        return order
    }

    @Test func orderIsByRankThenArrival() {
        let all = waiters([1, 0, 2, 1, 2, 0])
        #expect(order(line(of: all), of: all) == [2, 4, 0, 3, 1, 5])
    }

    @Test func whoNeedsAFreshConnectionTakesNoUsedOne() {
        let all = waiters([2, 1])
        all[1].needsFreshConnection = true
        #expect(order(line(of: all), of: all, reused: true) == [0])
    }

    @Test func whoNeedsAFreshConnectionGoesFirst() {
        let all = waiters([2, 1])
        all[1].needsFreshConnection = true
        #expect(order(line(of: all), of: all) == [1, 0])
    }

    @Test func leavingFromTheMiddleAndComingBack() {
        let all = waiters([1, 1, 1])
        var line = line(of: all)
        let left = [line.remove(all[1]), line.remove(all[1])]
        #expect(left == [true, false])
        #expect(line.count == 2)
        line.append(all[1])
        #expect(order(line, of: all) == [0, 2, 1])
    }

    @Test func tenThousandLeaveInLinearTime() {
        let all = waiters(Array(repeating: 1, count: 10_000))
        var line = line(of: all)
        let time = ContinuousClock().measure { for waiter in all.reversed() { line.remove(waiter) } }
        #expect(line.isEmpty)
        // A search for each would look at fifty million places.
        #expect(time < .seconds(2))
    }

    @Test func thoseWhoCameBeforeAMomentLeaveTogether() {
        let all = waiters([1, 2, 0, 1])
        var line = line(of: Array(all.dropLast()))
        let ticket = line.lastTicket
        line.append(all[3])
        let gone = line.removeAll(upTo: ticket)
        #expect(gone.count == 3)
        #expect(order(line, of: all) == [3])
    }
}
