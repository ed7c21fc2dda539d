import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: the order in which streams send")
struct SendTurnsTests {
    private func order(_ turns: SendTurns<Int>, limit: Int = 100) -> [Int] {
        var turns = turns
        var order: [Int] = []
        while order.count < limit, let next = turns.next() { order.append(next) }
        return order
    }

    @Test func whoComesFirstGoesFirst() {
        var turns = SendTurns<Int>()
        for id in [5, 1, 3] { turns.add(id) }
        expectEqual(order(turns), [5, 1, 3])
    }

    @Test func whoStandsInTheLineKeepsThePlace() {
        var turns = SendTurns<Int>()
        for id in [1, 3, 5, 1, 3, 1] { turns.add(id) }
        expectEqual(order(turns), [1, 3, 5])
    }

    @Test func whoHasMoreGoesToTheEnd() {
        var turns = SendTurns<Int>()
        for id in [1, 3, 5] { turns.add(id) }
        var order: [Int?] = []
        for _ in 0..<7 {
            let next = turns.next()
            order.append(next)
            if let next { turns.add(next) }
        }
        expectEqual(order, [1, 3, 5, 1, 3, 5, 1])
    }

    @Test func whoLeavesHasNoTurn() {
        var turns = SendTurns<Int>()
        for id in [1, 3, 5, 7] { turns.add(id) }
        for id in [3, 7, 9, 3] { turns.remove(id) }
        expectEqual(order(turns), [1, 5])
    }

    @Test func emptyIsWhereNobodyHasATurn() {
        var turns = SendTurns<Int>()
        #expect(turns.isEmpty)
        turns.add(1)
        #expect(!turns.isEmpty)
        turns.remove(1)
        #expect(turns.isEmpty)
        let none = turns.next()
        expectNil(none)
        turns.add(1)
        let one = turns.next()
        expectEqual(one, 1)
        #expect(turns.isEmpty)
    }

    @Test func whoLeftAndComesBackGoesToTheEnd() {
        var turns = SendTurns<Int>()
        for id in [1, 3, 5] { turns.add(id) }
        turns.remove(1)
        turns.add(1)
        expectEqual(order(turns), [3, 5, 1])
    }

    @Test func tenThousandLeaveInLinearTime() {
        var turns = SendTurns<Int>()
        for id in 0..<10_000 { turns.add(id) }
        let time = ContinuousClock().measure { for id in 0..<9_999 { turns.remove(id) } }
        expectEqual(order(turns), [9_999])
        // A search for each would look at fifty million places.
        #expect(time < .seconds(2))
    }

    /// Streams come, are served, have more, and end for good, as identifiers do: they are never used again.
    @Test(arguments: 0..<40)
    func anySchedule(seed: Int) {
        var dice = SeededRandom(seed: UInt64(seed) &* 6_151 &+ 3)
        var turns = SendTurns<Int>()
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
                turns.add(id)
                if waiting[id] == nil { waiting[id] = [:] }
            case 5...8:
                let next = turns.next()
                expectEqual((next == nil), waiting.isEmpty, "nobody is lost")
                guard let next else { continue }
                served += 1
                #expect(waiting.removeValue(forKey: next) != nil, "only who has something to send has a turn")
                for id in waiting.keys { waiting[id]?[next, default: 0] += 1 }
                // Most have more to send.
                guard Int.random(in: 0..<4, using: &dice) > 0 else { continue }
                turns.add(next)
                waiting[next] = [:]
            default:
                guard let place = open.indices.randomElement(using: &dice) else { continue }
                let id = open.remove(at: place)
                turns.remove(id)
                waiting[id] = nil
            }
            expectEqual(turns.isEmpty, waiting.isEmpty)
            let isFair = waiting.values.allSatisfy { $0.values.allSatisfy { $0 <= 1 } }
            #expect(isFair, "nobody is passed over twice by one")
        }
        while let next = turns.next() { #expect(waiting.removeValue(forKey: next) != nil) }
        #expect(waiting.isEmpty, "nobody is lost")
        #expect(served > 100)
    }
}
