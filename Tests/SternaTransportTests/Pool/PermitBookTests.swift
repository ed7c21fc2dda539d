import Testing

@testable import SternaTransport

@Suite struct PermitBookTests {
    @Test func anEndpointThatDoesNotWaitStandsInNoLine() {
        var book = PermitBook(limit: 2)
        let answers = [
            book.take(1, limit: 1, waits: false), book.take(1, limit: 1, waits: false),
            book.take(2, limit: 1, waits: false), book.take(3, limit: 1, waits: false),
        ]
        #expect(answers == [.granted, .endpointIsFull, .granted, .allAreOpen])
        #expect(book.starving == 0)
        #expect(!book.hasNeedyEndpoint)
        let grants = [book.give(1), book.give(2)]
        #expect(grants == [nil, nil])
        #expect(book.open == 0)
    }

    @Test func limitOfAnEndpoint() {
        var book = PermitBook(limit: 10)
        let answers = [book.take(1, limit: 2), book.take(1, limit: 2), book.take(1, limit: 2), book.take(2, limit: 2)]
        #expect(answers == [.granted, .granted, .endpointIsFull, .granted])
        #expect(book.starving == 0, "its own permits are what it waits for")
        let grants = [book.give(2), book.give(1), book.give(1)]
        #expect(grants == [nil, nil, nil])
        #expect(book.open == 0)
        #expect(book.give(1) == nil, "what was not taken cannot be given back")
        #expect(book.open == 0)
    }

    @Test func endpointsTakeTurnsWhereAllAreOpen() {
        var book = PermitBook(limit: 2)
        let first = [book.take(1, limit: 5), book.take(1, limit: 5)]
        #expect(first == [.granted, .granted])
        let rest = [1, 2, 2, 3].map { book.take($0, limit: 5) }
        #expect(rest == Array(repeating: .allAreOpen, count: 4))
        #expect(book.starving == 3)
        #expect(book.hasNeedyEndpoint)
        var order: [Int] = []
        var holders = [1, 1]
        for _ in 0..<6 {
            guard let next = book.give(holders.removeFirst()) else { break }
            order.append(next)
            holders.append(next)
            // The busy one asks again, behind the others.
            if next == 1, order.count < 3 { _ = book.take(1, limit: 5) }
        }
        #expect(order == [1, 2, 3, 1])
        #expect(book.starving == 0)
    }

    @Test func anEndpointThatLeavesIsNotServed() {
        var book = PermitBook(limit: 1)
        let answers = [1, 2, 3].map { book.take($0, limit: 1) }
        #expect(answers == [.granted, .allAreOpen, .allAreOpen])
        let left = [book.leave(2), book.leave(2)]
        #expect(left == [true, false])
        #expect(book.give(1) == 3)
        #expect(book.give(3) == nil)
        #expect(book.open == 0)
    }
}
