import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite struct PriorityQueueTests {
    private typealias Waiter = PoolWorld.Waiter

    private func waiters(_ priorities: [Int]) -> [Waiter] { priorities.map { Waiter(priority: $0, endpoint: 0) } }

    private func queue(of waiters: [Waiter]) -> PriorityQueue<Waiter> {
        var queue = PriorityQueue<Waiter>()
        for waiter in waiters { queue.append(waiter) }
        return queue
    }

    /// The order in which a queue is served, as positions in a list.
    private func order(_ queue: PriorityQueue<Waiter>, of all: [Waiter], used: Bool = false) -> [Int?] {
        var queue = queue
        var order: [Int?] = []
        while let next = queue.popFirst(used: used) { order.append(all.firstIndex { $0 === next }) }
        return order
    }

    @Test func orderIsByPriorityThenArrival() {
        let all = waiters([1, 0, 2, 1, 2, 0])
        expectEqual(order(queue(of: all), of: all), [2, 4, 0, 3, 1, 5])
    }

    @Test func aWaiterThatNeedsAFreshConnectionTakesNoUsedOne() {
        let all = waiters([2, 1])
        all[1].needsFreshConnection = true
        expectEqual(order(queue(of: all), of: all, used: true), [0])
    }

    @Test func aWaiterThatNeedsAFreshConnectionGoesFirst() {
        let all = waiters([2, 1])
        all[1].needsFreshConnection = true
        expectEqual(order(queue(of: all), of: all), [1, 0])
    }

    @Test func aUsedConnectionMayBeFreshEnough() {
        let all = waiters([2, 1, 1])
        all[1].needsFreshConnection = true
        all[2].needsFreshConnection = true
        var queue = queue(of: all)
        let first = queue.popFirst(used: true) { $0 === all[2] }
        #expect(first === all[2])
        expectEqual(queue.freshCount, 1)
        expectEqual(order(queue, of: all), [1, 0])
    }

    @Test func leavingFromTheMiddleAndComingBack() {
        let all = waiters([1, 1, 1])
        var queue = queue(of: all)
        let left = [queue.remove(all[1]), queue.remove(all[1])]
        expectEqual(left, [true, false])
        expectEqual(queue.count, 2)
        queue.append(all[1])
        expectEqual(order(queue, of: all), [0, 2, 1])
    }

    @Test func whatIsPutBackStandsWhereItStood() {
        let all = waiters([1, 2, 1, 1])
        var queue = queue(of: all)
        let taken = [queue.popFirst(), queue.popFirst(), queue.popFirst()]
        expectEqual(taken.compactMap { $0 }.map { waiter in all.firstIndex { $0 === waiter } }, [1, 0, 2])
        let late = Waiter(priority: 1, endpoint: 0)
        queue.append(late)
        for waiter in [all[2], all[1], all[0]] { queue.putBack(waiter) }
        expectEqual(order(queue, of: all + [late]), [1, 0, 2, 3, 4])
    }

    @Test func whatLeftFromTheMiddleAndIsPutBackStandsThereOnce() {
        let all = waiters([1, 1, 1])
        var queue = queue(of: all)
        queue.remove(all[1])
        queue.putBack(all[1])
        expectEqual(queue.count, 3)
        expectEqual(order(queue, of: all), [0, 1, 2])
    }

    @Test func positions() {
        let all = waiters([1, 2, 0])
        var queue = queue(of: all)
        expectEqual(
            (0..<4).map { place in queue.element(at: place).flatMap { found in all.firstIndex { $0 === found } } },
            [1, 0, 2, nil])
        expectEqual(queue.position(of: all[2], below: 3), 2)
        expectNil(queue.position(of: all[2], below: 2))
        queue.remove(all[0])
        expectEqual(queue.position(of: all[2], below: 2), 1)
        expectNil(queue.position(of: all[0], below: 9))
    }

    @Test func tenThousandLeaveInLinearTime() {
        let all = waiters(Array(repeating: 1, count: 10_000))
        var queue = queue(of: all)
        let time = ContinuousClock().measure { for waiter in all.reversed() { queue.remove(waiter) } }
        #expect(queue.isEmpty)
        // A search for each would look at fifty million places.
        #expect(time < .seconds(2))
    }

    @Test func someLeaveTogether() {
        let all = waiters([1, 2, 0, 1])
        var queue = queue(of: all)
        let gone = queue.takeAll { waiter, place in waiter.arrival <= 3 && place != 3 }
        expectEqual(gone.map { waiter in all.firstIndex { $0 === waiter } }, [1, 0])
        expectEqual(order(queue, of: all), [3, 2])
    }

    /// A change of priority in a queue, and the order in which the queue is served then.
    struct Change: Sendable, CustomTestStringConvertible {
        let priorities: [Int]
        let element: Int
        let priority: Int
        let order: [Int]

        var testDescription: String { "\(priorities), \(element) to \(priority)" }
    }

    static let changes = [
        Change(priorities: [1, 1, 1], element: 2, priority: 2, order: [2, 0, 1]),
        Change(priorities: [1, 1, 1], element: 0, priority: 0, order: [1, 2, 0]),
        Change(priorities: [1, 1, 1], element: 1, priority: 1, order: [0, 1, 2]),
        // Within the new priority the arrival counts, not the time of the change.
        Change(priorities: [0, 1, 1], element: 0, priority: 1, order: [0, 1, 2]),
        Change(priorities: [1, 0, 1], element: 1, priority: 1, order: [0, 1, 2]),
        Change(priorities: [1, 1, 0], element: 2, priority: 1, order: [0, 1, 2]),
        Change(priorities: [2, 1, 2, 0, 2], element: 1, priority: 2, order: [0, 1, 2, 4, 3]),
        Change(priorities: [2, 1, 2, 0, 2], element: 2, priority: 0, order: [0, 4, 1, 2, 3]),
        Change(priorities: [1], element: 0, priority: 9, order: [0]),
    ]

    @Test(arguments: changes) func aChangedPriority(item: Change) {
        let all = waiters(item.priorities)
        var queue = queue(of: all)
        all[item.element].priority = item.priority
        let wasQueued = queue.reprioritize(all[item.element])
        #expect(wasQueued)
        expectEqual(queue.count, all.count)
        expectEqual(order(queue, of: all), item.order)
    }

    @Test func aChangedPriorityOutsideTheQueueHasNoEffect() {
        let all = waiters([1, 1])
        var queue = queue(of: all)
        queue.remove(all[0])
        all[0].priority = 2
        let wasQueued = queue.reprioritize(all[0])
        #expect(!wasQueued)
        expectEqual(order(queue, of: all), [1])
    }

    @Test func aChangedPriorityKeepsThePositionOfAFreshWaiter() {
        let all = waiters([1, 1, 1])
        all[1].needsFreshConnection = true
        var queue = queue(of: all)
        all[1].priority = 0
        queue.reprioritize(all[1])
        expectEqual(queue.freshCount, 1)
        expectEqual(order(queue, of: all), [1, 0, 2])
    }

    @Test func whatIsTakenOutAfterItsPriorityChangedComesBackToItsPosition() {
        let all = waiters([0, 1, 1])
        var queue = queue(of: all)
        all[2].priority = 2
        queue.reprioritize(all[2])
        let first = queue.popFirst()
        #expect(first === all[2])
        queue.putBack(all[2])
        expectEqual(queue.newest(after: 0).map(\.arrival), [3, 2, 1])
        expectEqual(order(queue, of: all), [2, 1, 0])
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func randomChangesKeepTheOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = PriorityQueue<Waiter>()
        var queued: [Waiter] = []
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let waiter = Waiter(priority: Int.random(in: 0..<3, using: &random), endpoint: 0)
                queue.append(waiter)
                queued.append(waiter)
            case 2:
                guard let waiter = queue.popFirst() else { continue }
                let best = queued.max { ($0.priority, -$0.arrival) < ($1.priority, -$1.arrival) }
                #expect(waiter === best)
                queued.removeAll { $0 === waiter }
            default:
                guard let waiter = queued.randomElement(using: &random) else { continue }
                waiter.priority = Int.random(in: 0..<3, using: &random)
                queue.reprioritize(waiter)
            }
            expectEqual(queue.count, queued.count)
        }
    }
}
