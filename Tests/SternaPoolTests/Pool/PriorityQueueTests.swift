import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite struct PriorityQueueTests {
    private typealias Waiter = PoolWorld.Waiter

    private func waiters(_ ranks: [Int]) -> [Waiter] { ranks.map { Waiter(rank: $0, endpoint: 0) } }

    private func line(of waiters: [Waiter]) -> PriorityQueue<Waiter> {
        var line = PriorityQueue<Waiter>()
        for waiter in waiters { line.append(waiter) }
        return line
    }

    /// The order in which a line is served, as positions in a list.
    private func order(_ line: PriorityQueue<Waiter>, of all: [Waiter], used: Bool = false) -> [Int?] {
        var line = line
        var order: [Int?] = []
        while let next = line.popFirst(used: used) { order.append(all.firstIndex { $0 === next }) }
        return order
    }

    @Test func orderIsByRankThenArrival() {
        let all = waiters([1, 0, 2, 1, 2, 0])
        expectEqual(order(line(of: all), of: all), [2, 4, 0, 3, 1, 5])
    }

    @Test func aWaiterThatNeedsAFreshConnectionTakesNoUsedOne() {
        let all = waiters([2, 1])
        all[1].needsFreshConnection = true
        expectEqual(order(line(of: all), of: all, used: true), [0])
    }

    @Test func aWaiterThatNeedsAFreshConnectionGoesFirst() {
        let all = waiters([2, 1])
        all[1].needsFreshConnection = true
        expectEqual(order(line(of: all), of: all), [1, 0])
    }

    @Test func aUsedConnectionMayBeFreshEnough() {
        let all = waiters([2, 1, 1])
        all[1].needsFreshConnection = true
        all[2].needsFreshConnection = true
        var line = line(of: all)
        let first = line.popFirst(used: true) { $0 === all[2] }
        #expect(first === all[2])
        expectEqual(line.freshCount, 1)
        expectEqual(order(line, of: all), [1, 0])
    }

    @Test func leavingFromTheMiddleAndComingBack() {
        let all = waiters([1, 1, 1])
        var line = line(of: all)
        let left = [line.remove(all[1]), line.remove(all[1])]
        expectEqual(left, [true, false])
        expectEqual(line.count, 2)
        line.append(all[1])
        expectEqual(order(line, of: all), [0, 2, 1])
    }

    @Test func whatIsPutBackStandsWhereItStood() {
        let all = waiters([1, 2, 1, 1])
        var line = line(of: all)
        let taken = [line.popFirst(), line.popFirst(), line.popFirst()]
        expectEqual(taken.compactMap { $0 }.map { waiter in all.firstIndex { $0 === waiter } }, [1, 0, 2])
        let late = Waiter(rank: 1, endpoint: 0)
        line.append(late)
        for waiter in [all[2], all[1], all[0]] { line.putBack(waiter) }
        expectEqual(order(line, of: all + [late]), [1, 0, 2, 3, 4])
    }

    @Test func whatLeftFromTheMiddleAndIsPutBackStandsThereOnce() {
        let all = waiters([1, 1, 1])
        var line = line(of: all)
        line.remove(all[1])
        line.putBack(all[1])
        expectEqual(line.count, 3)
        expectEqual(order(line, of: all), [0, 1, 2])
    }

    @Test func positions() {
        let all = waiters([1, 2, 0])
        var line = line(of: all)
        expectEqual(
            (0..<4).map { place in line.element(at: place).flatMap { found in all.firstIndex { $0 === found } } },
            [1, 0, 2, nil])
        expectEqual(line.position(of: all[2], below: 3), 2)
        expectNil(line.position(of: all[2], below: 2))
        line.remove(all[0])
        expectEqual(line.position(of: all[2], below: 2), 1)
        expectNil(line.position(of: all[0], below: 9))
    }

    @Test func tenThousandLeaveInLinearTime() {
        let all = waiters(Array(repeating: 1, count: 10_000))
        var line = line(of: all)
        let time = ContinuousClock().measure { for waiter in all.reversed() { line.remove(waiter) } }
        #expect(line.isEmpty)
        // A search for each would look at fifty million places.
        #expect(time < .seconds(2))
    }

    @Test func someLeaveTogether() {
        let all = waiters([1, 2, 0, 1])
        var line = line(of: all)
        let gone = line.takeAll { waiter, place in waiter.arrival <= 3 && place != 3 }
        expectEqual(gone.map { waiter in all.firstIndex { $0 === waiter } }, [1, 0])
        expectEqual(order(line, of: all), [3, 2])
    }

    /// A change of rank in a line, and the order in which the line is served then.
    struct Change: Sendable, CustomTestStringConvertible {
        let ranks: [Int]
        let element: Int
        let rank: Int
        let order: [Int]

        var testDescription: String { "\(ranks), \(element) to \(rank)" }
    }

    static let changes = [
        Change(ranks: [1, 1, 1], element: 2, rank: 2, order: [2, 0, 1]),
        Change(ranks: [1, 1, 1], element: 0, rank: 0, order: [1, 2, 0]),
        Change(ranks: [1, 1, 1], element: 1, rank: 1, order: [0, 1, 2]),
        // Within the new rank the arrival counts, not the time of the change.
        Change(ranks: [0, 1, 1], element: 0, rank: 1, order: [0, 1, 2]),
        Change(ranks: [1, 0, 1], element: 1, rank: 1, order: [0, 1, 2]),
        Change(ranks: [1, 1, 0], element: 2, rank: 1, order: [0, 1, 2]),
        Change(ranks: [2, 1, 2, 0, 2], element: 1, rank: 2, order: [0, 1, 2, 4, 3]),
        Change(ranks: [2, 1, 2, 0, 2], element: 2, rank: 0, order: [0, 4, 1, 2, 3]),
        Change(ranks: [1], element: 0, rank: 9, order: [0]),
    ]

    @Test(arguments: changes) func aChangedRank(item: Change) {
        let all = waiters(item.ranks)
        var line = line(of: all)
        all[item.element].rank = item.rank
        let wasQueued = line.rerank(all[item.element])
        #expect(wasQueued)
        expectEqual(line.count, all.count)
        expectEqual(order(line, of: all), item.order)
    }

    @Test func aChangedRankOutsideTheLineHasNoEffect() {
        let all = waiters([1, 1])
        var line = line(of: all)
        line.remove(all[0])
        all[0].rank = 2
        let wasQueued = line.rerank(all[0])
        #expect(!wasQueued)
        expectEqual(order(line, of: all), [1])
    }

    @Test func aChangedRankKeepsThePlaceOfAFreshWaiter() {
        let all = waiters([1, 1, 1])
        all[1].needsFreshConnection = true
        var line = line(of: all)
        all[1].rank = 0
        line.rerank(all[1])
        expectEqual(line.freshCount, 1)
        expectEqual(order(line, of: all), [1, 0, 2])
    }

    @Test func whatIsTakenOutAfterItsRankChangedComesBackToItsPlace() {
        let all = waiters([0, 1, 1])
        var line = line(of: all)
        all[2].rank = 2
        line.rerank(all[2])
        let first = line.popFirst()
        #expect(first === all[2])
        line.putBack(all[2])
        expectEqual(line.newest(after: 0).map(\.arrival), [3, 2, 1])
        expectEqual(order(line, of: all), [2, 1, 0])
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func randomChangesKeepTheOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var line = PriorityQueue<Waiter>()
        var queued: [Waiter] = []
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let waiter = Waiter(rank: Int.random(in: 0..<3, using: &random), endpoint: 0)
                line.append(waiter)
                queued.append(waiter)
            case 2:
                guard let waiter = line.popFirst() else { continue }
                let best = queued.max { ($0.rank, -$0.arrival) < ($1.rank, -$1.arrival) }
                #expect(waiter === best)
                queued.removeAll { $0 === waiter }
            default:
                guard let waiter = queued.randomElement(using: &random) else { continue }
                waiter.rank = Int.random(in: 0..<3, using: &random)
                line.rerank(waiter)
            }
            expectEqual(line.count, queued.count)
        }
    }
}
