import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: the order in which streams send")
struct SendQueueTests {
    private func order(_ queue: SendQueue<Int>, limit: Int = 100) -> [Int] {
        var queue = queue
        var order: [Int] = []
        while order.count < limit, let next = queue.next() { order.append(next) }
        return order
    }

    @Test func whoComesFirstGoesFirst() {
        var queue = SendQueue<Int>()
        for id in [5, 1, 3] { queue.add(id) }
        expectEqual(order(queue), [5, 1, 3])
    }

    @Test func whoStandsInTheLineKeepsThePlace() {
        var queue = SendQueue<Int>()
        for id in [1, 3, 5, 1, 3, 1] { queue.add(id) }
        expectEqual(order(queue), [1, 3, 5])
    }

    @Test func whoHasMoreGoesToTheEnd() {
        var queue = SendQueue<Int>()
        for id in [1, 3, 5] { queue.add(id) }
        var order: [Int?] = []
        for _ in 0..<7 {
            let next = queue.next()
            order.append(next)
            if let next { queue.add(next) }
        }
        expectEqual(order, [1, 3, 5, 1, 3, 5, 1])
    }

    @Test func whoLeavesHasNoTurn() {
        var queue = SendQueue<Int>()
        for id in [1, 3, 5, 7] { queue.add(id) }
        for id in [3, 7, 9, 3] { queue.remove(id) }
        expectEqual(order(queue), [1, 5])
    }

    @Test func emptyIsWhereNobodyHasATurn() {
        var queue = SendQueue<Int>()
        #expect(queue.isEmpty)
        queue.add(1)
        #expect(!queue.isEmpty)
        queue.remove(1)
        #expect(queue.isEmpty)
        let none = queue.next()
        expectNil(none)
        queue.add(1)
        let one = queue.next()
        expectEqual(one, 1)
        #expect(queue.isEmpty)
    }

    @Test func whoLeftAndComesBackGoesToTheEnd() {
        var queue = SendQueue<Int>()
        for id in [1, 3, 5] { queue.add(id) }
        queue.remove(1)
        queue.add(1)
        expectEqual(order(queue), [3, 5, 1])
    }

    @Test func tenThousandLeaveInLinearTime() {
        var queue = SendQueue<Int>()
        for id in 0..<10_000 { queue.add(id) }
        let time = ContinuousClock().measure { for id in 0..<9_999 { queue.remove(id) } }
        expectEqual(order(queue), [9_999])
        // A search for each would look at fifty million places.
        #expect(time < .seconds(2))
    }

    /// Streams come, are served, have more, and end for good, as identifiers do: they are never used again.
    @Test(arguments: 0..<40)
    func anySchedule(seed: Int) {
        var dice = SeededRandom(seed: UInt64(seed) &* 6_151 &+ 3)
        var queue = SendQueue<Int>()
        // Who waits, and how often each of the others was served meanwhile.
        var waiting: [Int: [Int: Int]] = [:]
        var open: [Int] = []
        var nextID = 1
        var served = 0
        for _ in 0..<600 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0...1:
                open.append(nextID)
                nextID += 2
            case 2...4:
                guard let id = open.randomElement(using: &dice) else { continue }
                queue.add(id)
                if waiting[id] == nil { waiting[id] = [:] }
            case 5...8:
                let next = queue.next()
                expectEqual((next == nil), waiting.isEmpty, "nobody is lost")
                guard let next else { continue }
                served += 1
                #expect(waiting.removeValue(forKey: next) != nil, "only who has something to send has a turn")
                for id in waiting.keys { waiting[id]?[next, default: 0] += 1 }
                // Most have more to send.
                guard Int.random(in: 0..<4, using: &dice) > 0 else { continue }
                queue.add(next)
                waiting[next] = [:]
            default:
                guard let place = open.indices.randomElement(using: &dice) else { continue }
                let id = open.remove(at: place)
                queue.remove(id)
                waiting[id] = nil
            }
            expectEqual(queue.isEmpty, waiting.isEmpty)
            let isFair = waiting.values.allSatisfy { $0.values.allSatisfy { $0 <= 1 } }
            #expect(isFair, "nobody is passed over twice by one")
        }
        while let next = queue.next() { #expect(waiting.removeValue(forKey: next) != nil) }
        #expect(waiting.isEmpty, "nobody is lost")
        #expect(served > 100)
    }
}
