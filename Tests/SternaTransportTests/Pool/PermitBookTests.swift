import Testing

@testable import SternaTransport

@Suite struct PermitBookTests {
    @Test func limitOfAnEndpoint() {
        var book = PermitBook(limit: 10)
        do {
            let result = book.take(1, limit: 2, shard: 0)
            #expect(result == .granted)
        }
        do {
            let result = book.take(1, limit: 2, shard: 1)
            #expect(result == .granted)
        }
        do {
            let result = book.take(1, limit: 2, shard: 1)
            #expect(result == .endpointIsFull)
        }
        do {
            let result = book.take(1, limit: 2, shard: 0)
            #expect(result == .endpointIsFull)
        }
        do {
            let result = book.take(2, limit: 2, shard: 0)
            #expect(result == .granted)
        }
        do {
            let result = book.give(2)
            #expect(result == [])
        }
        do {
            let result = book.give(1)
            #expect(result == [.init(endpoint: 1, shard: 1)])
        }
        do {
            let result = book.give(1)
            #expect(result == [.init(endpoint: 1, shard: 0)])
        }
        do {
            let result = book.give(1)
            #expect(result == [])
        }
        do {
            let result = book.give(1)
            #expect(result == [])
        }
        #expect(book.open == 0)
        do {
            let result = book.give(1)
            #expect(result == [], "what nobody has cannot be given back")
        }
    }

    @Test func endpointsTakeTurnsWhereAllAreOpen() {
        var book = PermitBook(limit: 2)
        do {
            let result = book.take(1, limit: 5, shard: 0)
            #expect(result == .granted)
        }
        do {
            let result = book.take(1, limit: 5, shard: 0)
            #expect(result == .granted)
        }
        for _ in 0..<3 {
            let answer = book.take(1, limit: 5, shard: 0)
            #expect(answer == .allAreOpen)
        }
        do {
            let result = book.take(2, limit: 5, shard: 0)
            #expect(result == .allAreOpen)
        }
        do {
            let result = book.take(3, limit: 5, shard: 1)
            #expect(result == .allAreOpen)
        }
        #expect(book.starving == 3)
        var order: [Int] = []
        var holders = [1, 1]
        for _ in 0..<5 {
            let grants = book.give(holders.removeFirst())
            order += grants.map(\.endpoint)
            holders += grants.map(\.endpoint)
        }
        // The busy endpoint does not keep the others waiting until it is done.
        #expect(order == [1, 2, 3, 1, 1])
        #expect(book.starving == 0)
    }

    @Test func whoLeavesIsNotServed() {
        var book = PermitBook(limit: 1)
        do {
            let result = book.take(1, limit: 1, shard: 0)
            #expect(result == .granted)
        }
        do {
            let result = book.take(2, limit: 1, shard: 0)
            #expect(result == .allAreOpen)
        }
        do {
            let result = book.take(3, limit: 1, shard: 0)
            #expect(result == .allAreOpen)
        }
        do {
            let result = book.leave(2, shard: 0)
            #expect(result)
        }
        do {
            let result = book.leave(2, shard: 0)
            #expect(!result)
        }
        do {
            let result = book.give(1)
            #expect(result == [.init(endpoint: 3, shard: 0)])
        }
    }
}
